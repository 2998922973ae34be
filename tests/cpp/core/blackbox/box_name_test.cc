#include "blackbox/box_name.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace memprof::box {
namespace {

std::string Name(const std::string& application, const std::string& executor) {
  char name[kMaxNameBytes];
  MakeName(name, application, executor, "0e5b8c2a-0000-4000-8000-123456789abc", 4'194'304, ~uint64_t{0}, 0xfeed);
  return name;
}

TEST(BoxName, SaysWhoseItIs) {
  EXPECT_EQ(Name("application_17_0042", "7"),
            "memprof+application_17_0042+7+0e5b8c2a-0000-4000-8000-123456789abc+4194304+18446744073709551615+000000000000feed.box");
  EXPECT_TRUE(NameBelongsTo(Name("local-1718", "driver"), "local-1718"));
  EXPECT_FALSE(NameBelongsTo(Name("local-1718", "driver"), "local-171"));
  EXPECT_FALSE(NameBelongsTo(Name("local-171", "driver"), "local-1718"));
  EXPECT_FALSE(NameBelongsTo("memprof+local-1718", "local-1718"));
  EXPECT_FALSE(NameBelongsTo("memprof+local-1718+.tmp", "local-1718"));
  EXPECT_FALSE(NameBelongsTo("", ""));
}

TEST(BoxName, NothingInAnIdLeadsOutOfTheDirectory) {
  std::string name = Name("../../etc/passwd+x", "a/b\n");
  EXPECT_EQ(name.find('/'), std::string::npos);
  EXPECT_EQ(name.find('\n'), std::string::npos);
  EXPECT_TRUE(NameBelongsTo(name, "../../etc/passwd+x"));
}

TEST(BoxName, LongIdsStillGiveANameAFileSystemTakes) {
  std::string application(500, 'a');
  std::string name = Name(application, std::string(500, 'e'));
  EXPECT_LE(name.size(), 255u);
  EXPECT_TRUE(NameBelongsTo(name, application));
}

}  // namespace
}  // namespace memprof::box
