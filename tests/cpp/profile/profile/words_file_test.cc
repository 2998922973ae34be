#include "profile/words_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "temporary_directory.h"

namespace memprof {
namespace {

namespace fs = std::filesystem;

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
  ASSERT_TRUE(WriteWords(folder.path(), pid, {"a draft"}).ok());
  ASSERT_TRUE(WriteWords(folder.path(), pid, words).ok()) << "replaces the one before";
  struct stat info;
  ASSERT_EQ(stat(PathOf(folder, pid).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(TakeWordsOfTheDead(folder.path()).envelopes, words);
  EXPECT_TRUE(TakeWordsOfTheDead(folder.path()).envelopes.empty());
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(WordsFile, TheLivingKeepTheirs) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(WriteWords(folder.path(), getpid(), {"mine"}).ok());
  EXPECT_TRUE(TakeWordsOfTheDead(folder.path()).envelopes.empty());
  EXPECT_TRUE(fs::exists(PathOf(folder, getpid())));
}

TEST(WordsFile, EveryTornOrForeignFileIsRefused) {
  const TemporaryDirectory folder;
  const int32_t pid = DeadPid();
  ASSERT_TRUE(WriteWords(folder.path(), pid, {"first", "second"}).ok());
  std::ifstream in(PathOf(folder, pid), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const size_t first_end = 8 + 12 + 5;
  for (size_t size = 0; size < whole.size(); ++size) {
    if (size == 8 || size == first_end) continue;  // whole files of none and of one
    std::ofstream(PathOf(folder, pid), std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    const FoundWords found = TakeWordsOfTheDead(folder.path());
    EXPECT_TRUE(found.envelopes.empty()) << size;
    EXPECT_EQ(found.refused, 1u) << size;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    std::ofstream(PathOf(folder, pid), std::ios::binary | std::ios::trunc) << changed;
    EXPECT_EQ(TakeWordsOfTheDead(folder.path()).refused, 1u) << at;
  }
}

TEST(WordsFile, LinksAndOtherNamesAreLeftAlone) {
  const TemporaryDirectory folder, elsewhere;
  const int32_t pid = DeadPid();
  ASSERT_TRUE(WriteWords(elsewhere.path(), pid, {"stolen"}).ok());
  fs::create_symlink(PathOf(elsewhere, pid), PathOf(folder, pid));
  std::ofstream(folder.path() + "/-1.words") << "x";
  std::ofstream(folder.path() + "/99999999999.words") << "x";
  std::ofstream(folder.path() + "/.words") << "x";
  const FoundWords found = TakeWordsOfTheDead(folder.path());
  EXPECT_TRUE(found.envelopes.empty());
  EXPECT_EQ(found.refused, 1u) << "the link";
  EXPECT_TRUE(fs::exists(PathOf(elsewhere, pid)));
}

TEST(WordsFile, WhatDoesNotFitIsLeftOut) {
  const TemporaryDirectory folder;
  const int32_t pid = DeadPid();
  ASSERT_TRUE(WriteWords(folder.path(), pid, std::vector<std::string>(5, std::string(300'000, 'w'))).ok());
  EXPECT_EQ(TakeWordsOfTheDead(folder.path()).envelopes.size(), 3u);
  ASSERT_TRUE(WriteWords(folder.path(), pid, std::vector<std::string>(1000, "w")).ok());
  EXPECT_EQ(TakeWordsOfTheDead(folder.path()).envelopes.size(), kMaxEnvelopes);
  EXPECT_FALSE(WriteWords(folder.path() + "/none", pid, {"w"}).ok());
}

}  // namespace
}  // namespace memprof
