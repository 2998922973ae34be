#include "system/kept_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/system/file_tree.h"
#include "system/memory_cgroup.h"

namespace memprof {
namespace {

TEST(KeptFile, EachReadingIsNew) {
  FileTree tree;
  tree.Write("usage", "1000003\n");
  const KeptFile file(tree.Path("usage"));
  EXPECT_EQ(*file.ReadNumber(), 1'000'003u);
  tree.Write("usage", "7\n");
  EXPECT_EQ(*file.ReadNumber(), 7u);
  tree.Write("usage", "cache 1\nrss 2\n");
  EXPECT_EQ(*file.ReadText(), "cache 1\nrss 2\n");
  EXPECT_FALSE(file.ReadNumber().ok());
}

TEST(KeptFile, StaysOpen) {
  FileTree tree;
  tree.Write("usage", "1000003\n");
  const KeptFile file(tree.Path("usage"));
  std::filesystem::rename(tree.Path("usage"), tree.Path("elsewhere"));
  EXPECT_EQ(*file.ReadNumber(), 1'000'003u);
}

TEST(KeptFile, WhatCannotBeKeptOpenIsReadByItsPath) {
  FileTree tree;
  const KeptFile file(tree.Path("usage"));
  const Result<uint64_t> none = file.ReadNumber();
  ASSERT_FALSE(none.ok());
  EXPECT_NE(std::string(none.status().message()).find(tree.Path("usage")), std::string::npos);
  EXPECT_FALSE(file.ReadText().ok());
  tree.Write("usage", "1000003\n");
  EXPECT_EQ(*file.ReadNumber(), 1'000'003u);
  EXPECT_EQ(*file.ReadText(), "1000003\n");
}

TEST(KeptFile, AProgramMayCloseItAndUseItsNumber) {
  FileTree tree;
  tree.Write("usage", "1000003\n");
  tree.Write("of the program", "7\n");
  const int next = open("/dev/null", O_RDONLY);
  close(next);
  const KeptFile file(tree.Path("usage"));
  ASSERT_EQ(close(next), 0);
  const int of_program = open(tree.Path("of the program").c_str(), O_RDONLY);
  ASSERT_EQ(of_program, next);
  EXPECT_EQ(*file.ReadNumber(), 1'000'003u);
  EXPECT_EQ(*file.ReadText(), "1000003\n");
  close(of_program);
}

TEST(KeptFile, ALargeOneIsWhole) {
  FileTree tree;
  const std::string text(100'003, 'x');
  tree.Write("stat", text);
  EXPECT_EQ(*KeptFile(tree.Path("stat")).ReadText(), text);
}

// The kernel takes an open file away with its group.
TEST(KeptFile, OfARealGroupThatIsRemoved) {
  const Result<std::unique_ptr<MemoryCgroup>> cgroup = FindMemoryCgroup();
  if (!cgroup.ok()) GTEST_SKIP() << "cannot make a group: " << cgroup.status().message();
  const std::string group = (*cgroup)->path() + "/memprof-kept-" + std::to_string(getpid());
  const std::string usage =
      access(((*cgroup)->path() + "/memory.current").c_str(), F_OK) == 0 ? "/memory.current" : "/memory.usage_in_bytes";
  struct Removed {
    std::string path;
    ~Removed() { rmdir(path.c_str()); }
  } removed{group};
  if (mkdir(group.c_str(), 0755) != 0 || access((group + usage).c_str(), R_OK) != 0) {
    GTEST_SKIP() << "cannot make a group that counts memory: " << group;
  }
  const KeptFile file(group + usage), stat(group + "/memory.stat");
  EXPECT_TRUE(file.ReadNumber().ok());
  EXPECT_TRUE(stat.ReadText().ok());
  ASSERT_EQ(rmdir(group.c_str()), 0) << "a file that is open doesn't hold it";
  EXPECT_FALSE(file.ReadNumber().ok());
  EXPECT_FALSE(stat.ReadText().ok());
  ASSERT_EQ(mkdir(group.c_str(), 0755), 0);
  EXPECT_TRUE(file.ReadNumber().ok()) << "by its path";
}

}  // namespace
}  // namespace memprof
