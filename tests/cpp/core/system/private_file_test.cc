#include "system/private_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "temporary_directory.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kNobody = 65534;

mode_t ModeOf(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

TEST(PrivateFile, IsReadWholeOrNotAtAll) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() + "/own";
  EXPECT_EQ(ReadPrivateFile(path, 9).status().code(), ErrorCode::kIo);
  ASSERT_TRUE(WritePrivateFile(path, std::string("nine\0byte", 9)).ok());
  EXPECT_EQ(*ReadPrivateFile(path, 9), std::string("nine\0byte", 9));
  EXPECT_EQ(ReadPrivateFile(path, 8).status().code(), ErrorCode::kCorrupt) << "too large";
  const std::string link = folder.path() + "/link", pipe = folder.path() + "/pipe";
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  EXPECT_EQ(ReadPrivateFile(link, 9).status().code(), ErrorCode::kIo);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(ReadPrivateFile(pipe, 9).status().message(), HasSubstr("is no file of this user")) << "and nobody waits for its other end";
  if (geteuid() == 0) {  // nobody else can give one away
    ASSERT_EQ(chown(path.c_str(), kNobody, kNobody), 0);
    EXPECT_THAT(ReadPrivateFile(path, 9).status().message(), HasSubstr("is no file of this user"));
  }
}

TEST(PrivateFile, OnlyTheDirectoryItselfIsPrivate) {
  const TemporaryDirectory folder;
  const mode_t before = umask(027);
  const Status made = MakePrivateDirectory(folder.path() + "/shared//deep/own");
  umask(before);
  ASSERT_TRUE(made.ok()) << made.message();
  EXPECT_EQ(ModeOf(folder.path() + "/shared"), 0750u);
  EXPECT_EQ(ModeOf(folder.path() + "/shared/deep"), 0750u);
  EXPECT_EQ(ModeOf(folder.path() + "/shared/deep/own"), 0700u);
  EXPECT_TRUE(MakePrivateDirectory(folder.path() + "/shared/deep/own").ok()) << "a second time is fine";
}

TEST(PrivateFile, SlashesAtItsEndAreNone) {
  const TemporaryDirectory folder;
  EXPECT_TRUE(MakePrivateDirectory(folder.path() + "/shared/own//").ok());
  EXPECT_EQ(ModeOf(folder.path() + "/shared/own"), 0700u);
}

TEST(PrivateFile, WhereTheWorkingDirectoryIsGoneNothingIsMade) {
  const std::filesystem::path before = std::filesystem::current_path();
  const TemporaryDirectory folder;
  const std::string gone = folder.path() + "/gone";
  std::filesystem::create_directory(gone);
  std::filesystem::current_path(gone);
  std::filesystem::remove(gone);
  for (const char* path : {"a", "a/b", ""}) EXPECT_FALSE(MakePrivateDirectory(path).ok()) << path;
  std::filesystem::current_path(before);
}

TEST(PrivateFile, ADirectoryOfAnotherUserIsRefusedByNameAndOwner) {
  const TemporaryDirectory folder;
  std::string foreign = "/usr/lib";
  uid_t owner = 0;
  if (geteuid() == 0) {
    foreign = folder.path() + "/foreign";
    owner = kNobody;
    ASSERT_TRUE(MakePrivateDirectory(foreign).ok());
    ASSERT_EQ(chown(foreign.c_str(), owner, owner), 0);
  }
  const std::string refusal = foreign + " belongs to user " + std::to_string(owner) + ", not to user " + std::to_string(geteuid());
  EXPECT_EQ(MakePrivateDirectory(foreign).message(), refusal);
}

TEST(PrivateFile, ADirectoryThatIsOpenOrNoneIsRefused) {
  const TemporaryDirectory folder, target;
  const std::string open = folder.path() + "/open", link = folder.path() + "/link", file = folder.path() + "/file";
  std::filesystem::create_directory(open);
  for (const mode_t mode : {0777u, 0710u, 0704u}) {
    ASSERT_EQ(chmod(open.c_str(), mode), 0);
    EXPECT_EQ(MakePrivateDirectory(open).message(), open + " is not a directory of ours with mode 0700");
  }
  std::filesystem::create_symlink(target.path(), link);
  EXPECT_EQ(MakePrivateDirectory(link).message(), link + " is not a directory of ours with mode 0700");
  std::ofstream(file) << "x";
  EXPECT_EQ(MakePrivateDirectory(file).message(), file + " is not a directory of ours with mode 0700");
  EXPECT_THAT(MakePrivateDirectory(file + "/below").message(), HasSubstr("cannot make " + file + "/below: Not a directory"));
}

TEST(PrivateFile, IsWrittenAsAWholeForItsUserAlone) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() + "/file";
  ASSERT_TRUE(WritePrivateFile(path, "a first and longer one").ok());
  ASSERT_TRUE(WritePrivateFile(path, "second").ok());
  EXPECT_EQ(ModeOf(path), 0600u);
  EXPECT_EQ(std::filesystem::file_size(path), 6u);
  EXPECT_FALSE(std::filesystem::exists(path + ".draft"));
}

}  // namespace
}  // namespace memprof
