#include "program/dead_boxes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sites/recorder.h"
#include "temporary_directory.h"

namespace memprof {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kKept = 30'000'001, kOwn = 5'000'011;

// A worker that has kept a block of each of its first tasks, and was killed in another one.
TEST(DeadBoxes, WhatEarlierTasksHadLeftIsSaidAsTheDriverSaysIt) {
  const TemporaryDirectory directory;
  const std::string folder = directory.path();
  const Result<Recorder*> made = Recorder::Create({folder.c_str(), "app-1", "7", 65536, "3.11.7"});
  ASSERT_TRUE(made.ok()) << made.status().message();
  Recorder* recorder = *made;
  const auto stack = [&](const char* function, uint32_t line) {
    const FrameId frames[] = {
        recorder->InternPythonFrame({function, static_cast<uint32_t>(std::string_view(function).size())}, {"cache.py", 8}, line, 1)};
    return recorder->InternStack(frames, 1, kKept);
  };
  const BoxStackId remember = stack("remember", 8), enrich = stack("enrich", 20);
  uintptr_t address = 0x1000;
  for (int64_t task = 41; task < 44; ++task) {
    recorder->OpenSession({task, 3, 0, 0, 0});
    recorder->Allocated({Origin::kPython, address += 0x10000000, kKept, kKept, 1, remember});
    recorder->CloseSession();
  }
  recorder->OpenSession({44, 3, 0, 0, 0});
  recorder->Allocated({Origin::kPython, address += 0x10000000, kOwn, kOwn, 1, enrich});
  Recorder::AbandonInChild(recorder);  // as its end does
  const Result<DeadBoxes> found = ReadDeadBoxes(folder);
  ASSERT_TRUE(found.ok()) << found.status().message();
  ASSERT_EQ(found->post_mortems.size(), 1u);
  const std::string& text = found->post_mortems[0];
  EXPECT_THAT(text, HasSubstr("earlier tasks had left 85.8 MiB at cache.py:8 remember"));
  EXPECT_THAT(text, AllOf(HasSubstr("left by earlier tasks"), HasSubstr("85.8 MiB"), HasSubstr("4.8 MiB"), HasSubstr("enrich")));
  EXPECT_THAT(text, Not(HasSubstr("enrich held")));
}

// spark.memprof.box.dir has sparkmemprof-<uid>, in which each application has a folder.
TEST(DeadBoxes, AreFoundWhereverTheyWereConfiguredToBe) {
  namespace fs = std::filesystem;
  const TemporaryDirectory directory;
  const fs::path configured = directory.path(), ours = configured / "sparkmemprof-1000", other = configured / "others";
  for (const fs::path& around : {ours, other}) {
    const fs::path application = around / "app-1-1700000000000";
    fs::create_directories(application);
    const Result<Recorder*> made = Recorder::Create({application.c_str(), "app-1", "7", 65536, "3.11.7"});
    ASSERT_TRUE(made.ok()) << made.status().message();
    (*made)->OpenSession({41, 3, 0, 0, 0});
    Recorder::AbandonInChild(*made);
  }
  const auto found = [](const fs::path& path) { return ReadDeadBoxes(path.string())->post_mortems.size(); };
  EXPECT_EQ(found(configured), 1u) << "not just anybody's folders";
  EXPECT_EQ(found(ours), 1u);
  EXPECT_EQ(found(ours / "app-1-1700000000000"), 1u);
  fs::remove_all(ours);
  EXPECT_EQ(found(configured), 0u);
  EXPECT_EQ(found(other), 1u);
}

}  // namespace
}  // namespace memprof
