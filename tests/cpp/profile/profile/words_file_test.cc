#include "profile/words_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "temporary_directory.h"

namespace memprof {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kId[] = "application_1";

// Of a process that is gone, and whose number no other has got.
int32_t DeadPid() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

std::string PathOf(const TemporaryDirectory& folder, int32_t pid) { return folder.path() + "/" + std::to_string(pid) + ".words"; }

TEST(WordsFile, WhatADeadProcessLeftIsTakenOnce) {
  const TemporaryDirectory folder;
  const int32_t pid = DeadPid();
  const std::vector<std::string> words = {"first", "", std::string(70'001, '\0')};
  ASSERT_TRUE(WriteWords(folder.path(), pid, {kId, {"a draft"}}).ok());
  ASSERT_TRUE(WriteWords(folder.path(), pid, {kId, words}).ok()) << "replaces the one before";
  struct stat info;
  ASSERT_EQ(stat(PathOf(folder, pid).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(WordsOfTheDead().Take(folder.path(), kId).envelopes, words);
  EXPECT_TRUE(WordsOfTheDead().Take(folder.path(), kId).envelopes.empty());
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(WordsFile, TheLivingKeepTheirs) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(WriteWords(folder.path(), getpid(), {kId, {"mine"}}).ok());
  EXPECT_TRUE(WordsOfTheDead().Take(folder.path(), kId).envelopes.empty());
  EXPECT_TRUE(fs::exists(PathOf(folder, getpid())));
}

TEST(WordsFile, OneProcessAtATime) {
  const TemporaryDirectory folder;
  const int32_t first = DeadPid(), second = DeadPid();
  ASSERT_NE(first, second);
  ASSERT_TRUE(WriteWords(folder.path(), first, {kId, {"a", "b"}}).ok());
  ASSERT_TRUE(WriteWords(folder.path(), second, {kId, {"a", "b"}}).ok());
  WordsOfTheDead words;
  for (int look = 0; look < 2; ++look) EXPECT_THAT(words.Take(folder.path(), kId).envelopes, ElementsAre("a", "b"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(WordsFile, OtherApplicationsKeepTheirsForADay) {
  const TemporaryDirectory folder;
  const int32_t pid = DeadPid();
  ASSERT_TRUE(WriteWords(folder.path(), pid, {"application_2", {"theirs"}}).ok());
  WordsOfTheDead words;
  for (int look = 0; look < 2; ++look) {
    const FoundWords found = words.Take(folder.path(), kId);
    EXPECT_TRUE(found.envelopes.empty());
    EXPECT_TRUE(found.refused.empty());
  }
  EXPECT_THAT(WordsOfTheDead().Take(folder.path(), "application_2").envelopes, ElementsAre("theirs"));
  ASSERT_TRUE(WriteWords(folder.path(), pid, {"application_2", {"theirs"}}).ok());
  fs::last_write_time(PathOf(folder, pid), fs::file_time_type::clock::now() - std::chrono::hours(25));
  words.Take(folder.path(), kId);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(WordsFile, EveryTornOrForeignFileIsRefused) {
  const TemporaryDirectory folder;
  const int32_t pid = DeadPid();
  ASSERT_TRUE(WriteWords(folder.path(), pid, {kId, {"first", "second"}}).ok());
  std::ifstream in(PathOf(folder, pid), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const size_t id_end = 8 + 12 + std::string_view(kId).size(), first_end = id_end + 12 + 5;
  for (size_t size = 0; size < whole.size(); ++size) {
    if (size == id_end || size == first_end) continue;  // whole files of none and of one
    std::ofstream(PathOf(folder, pid), std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    const FoundWords found = WordsOfTheDead().Take(folder.path(), kId);
    EXPECT_TRUE(found.envelopes.empty()) << size;
    EXPECT_EQ(found.refused.size(), 1u) << size;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    std::ofstream(PathOf(folder, pid), std::ios::binary | std::ios::trunc) << changed;
    EXPECT_EQ(WordsOfTheDead().Take(folder.path(), kId).refused.size(), 1u) << at;
  }
}

TEST(WordsFile, ARefusedFileIsNamedOnceAndAnewWhenItIsAnother) {
  const TemporaryDirectory folder;
  const int32_t pid = DeadPid();
  std::ofstream(PathOf(folder, pid)) << "no words";
  WordsOfTheDead words;
  const FoundWords found = words.Take(folder.path(), kId);
  ASSERT_EQ(found.refused.size(), 1u);
  EXPECT_EQ(found.refused[0].path, PathOf(folder, pid));
  EXPECT_THAT(found.refused[0].why, HasSubstr("is of another kind or version"));
  EXPECT_TRUE(words.Take(folder.path(), kId).refused.empty());
  std::ofstream(PathOf(folder, pid)) << "no words either";
  EXPECT_EQ(words.Take(folder.path(), kId).refused.size(), 1u);
  ASSERT_TRUE(WriteWords(folder.path(), pid, {kId, {"the pid's next owner"}}).ok());
  EXPECT_EQ(words.Take(folder.path(), kId).envelopes.size(), 1u);
}

TEST(WordsFile, ARefusedFileIsRemovedAfterADay) {
  const TemporaryDirectory folder;
  const int32_t pid = DeadPid();
  std::ofstream(PathOf(folder, pid)) << "no words";
  WordsOfTheDead words;
  words.Take(folder.path(), kId);
  EXPECT_TRUE(fs::exists(PathOf(folder, pid))) << "for a person to look at";
  fs::last_write_time(PathOf(folder, pid), fs::file_time_type::clock::now() - std::chrono::hours(25));
  EXPECT_EQ(words.Take(folder.path(), kId).refused.size(), 1u);
  EXPECT_FALSE(fs::exists(PathOf(folder, pid)));
}

TEST(WordsFile, RefusedFilesDoNotHideTheOthers) {
  const TemporaryDirectory folder;
  WordsOfTheDead words;
  size_t refused = 0;
  for (int32_t pid = INT32_MAX; pid > INT32_MAX - 200; --pid) std::ofstream(PathOf(folder, pid)) << "no words";
  ASSERT_TRUE(WriteWords(folder.path(), DeadPid(), {kId, {"whole"}}).ok());
  size_t envelopes = 0;
  for (size_t looks = 0; looks <= 200 / WordsOfTheDead::kMostFiles; ++looks) {
    const FoundWords found = words.Take(folder.path(), kId);
    EXPECT_LE(found.refused.size(), WordsOfTheDead::kMostFiles) << "at a time";
    refused += found.refused.size();
    envelopes += found.envelopes.size();
  }
  EXPECT_EQ(refused, 200u) << "each once";
  EXPECT_EQ(envelopes, 1u);
}

TEST(WordsFile, LinksAndOtherNamesAreLeftAlone) {
  const TemporaryDirectory folder, elsewhere;
  const int32_t pid = DeadPid();
  ASSERT_TRUE(WriteWords(elsewhere.path(), pid, {kId, {"stolen"}}).ok());
  fs::create_symlink(PathOf(elsewhere, pid), PathOf(folder, pid));
  std::ofstream(folder.path() + "/-1.words") << "x";
  std::ofstream(folder.path() + "/99999999999.words") << "x";
  std::ofstream(folder.path() + "/.words") << "x";
  const FoundWords found = WordsOfTheDead().Take(folder.path(), kId);
  EXPECT_TRUE(found.envelopes.empty());
  EXPECT_EQ(found.refused.size(), 1u) << "the link";
  EXPECT_TRUE(fs::exists(PathOf(elsewhere, pid)));
}

TEST(WordsFile, WhatDoesNotFitIsLeftOut) {
  const TemporaryDirectory folder;
  const int32_t pid = DeadPid();
  ASSERT_TRUE(WriteWords(folder.path(), pid, {kId, std::vector<std::string>(5, std::string(300'000, 'w'))}).ok());
  EXPECT_EQ(WordsOfTheDead().Take(folder.path(), kId).envelopes.size(), 3u);
  ASSERT_TRUE(WriteWords(folder.path(), pid, {kId, std::vector<std::string>(1000, "w")}).ok());
  EXPECT_EQ(WordsOfTheDead().Take(folder.path(), kId).envelopes.size(), kMaxEnvelopes);
  EXPECT_FALSE(WriteWords(folder.path() + "/none", pid, {kId, {"w"}}).ok());
}

}  // namespace
}  // namespace memprof
