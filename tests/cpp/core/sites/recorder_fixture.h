// A recorder over a box in a fresh directory, and the words the tests of sites/ and blackbox/ share.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "blackbox/box_reader.h"
#include "sites/recorder.h"
#include "temporary_directory.h"

namespace memprof {

inline StringRef Ref(const std::string& text) { return {text.data(), static_cast<uint32_t>(text.size())}; }

class RecorderTest : public testing::Test {
 protected:
  static constexpr uint64_t kInterval = 64 << 10, kPage = 4096;
  static constexpr uintptr_t kSomewhere = 0x10'0000'0000;  // nobody maps addresses there: below 1 MiB sizes nothing looks at them

  void TearDown() override {
    if (recorder_ != nullptr) recorder_->Finish();
  }

  void Start(uint64_t interval = kInterval, size_t box_bytes = 4u << 20, RegionTable* regions = nullptr) {
    RecorderOptions options = {};
    options.box_directory = directory_.path().c_str();
    options.application_id = "application_1700000000000_0042";
    options.executor_id = "7";
    options.interval_bytes = interval;
    options.python_version = "3.11.7";
    options.box_bytes = box_bytes;
    options.regions = regions;
    Result<Recorder*> made = Recorder::Create(options);
    ASSERT_TRUE(made.ok()) << made.status().message();
    recorder_ = *made;
  }

  BoxReader OpenBox() {
    Result<BoxReader> reader = BoxReader::Open(recorder_->box_path());
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    return std::move(*reader);
  }

  // The newest session of a task.
  BoxSession ReadTask(int64_t task_attempt_id) {
    BoxReader reader = OpenBox();
    uint64_t number = 0;
    for (const BoxReader::SessionKey& key : reader.Sessions()) {
      if (key.task_attempt_id == task_attempt_id) number = key.number;
    }
    Result<BoxSession> session = reader.ReadSession(number);
    EXPECT_TRUE(session.ok()) << session.status().message();
    return session.ok() ? *session : BoxSession();
  }

  FrameId Line(const std::string& function, uint32_t line) {
    return recorder_->InternPythonFrame(Ref(function), Ref("/jobs/helper.py"), line, 1);
  }

  BoxStackId Stack(const std::vector<FrameId>& frames, uint64_t block_bytes = 1) {
    return recorder_->InternStack(frames.data(), static_cast<uint32_t>(frames.size()), block_bytes);
  }

  // A block counted exactly.
  void Allocate(uintptr_t address, uint64_t size, const std::vector<FrameId>& stack) {
    recorder_->Allocated({Origin::kPython, address, size, size, 1, Stack(stack, size)});
  }
  void AllocateSampled(uintptr_t address, uint64_t size, uint64_t weight, uint64_t blocks, const std::vector<FrameId>& stack) {
    recorder_->Allocated({Origin::kPython, address, size, weight, blocks, Stack(stack, size)});
  }

  static std::string InnermostFunction(const BoxSession& session, const BoxSite& site) {
    return site.stack == 0 ? "" : session.frames[session.stacks[site.stack - 1].frame].function;
  }
  static const BoxSite* SiteOf(const BoxSession& session, const std::string& function) {
    for (const BoxSite& site : session.sites) {
      if (InnermostFunction(session, site) == function) return &site;
    }
    return nullptr;
  }
  // Functions of a site's stack, outermost first.
  static std::vector<std::string> Functions(const BoxSession& session, const BoxSite& site) {
    std::vector<std::string> functions;
    for (uint32_t at = site.stack; at != 0; at = session.stacks[at - 1].parent) {
      functions.insert(functions.begin(), session.frames[session.stacks[at - 1].frame].function);
    }
    return functions;
  }

  TemporaryDirectory directory_;
  Recorder* recorder_ = nullptr;
};

inline TaskIdentity Task(int64_t task_attempt_id) { return {task_attempt_id, 3, 0, 5, 1}; }

}  // namespace memprof
