#include "base/setting_value.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(SettingValue, BlanksAroundItDontCount) {
  EXPECT_EQ(Trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trimmed("a"), "a");
  EXPECT_EQ(Trimmed(" \n"), "");
  EXPECT_EQ(Trimmed(""), "");
  EXPECT_EQ(Trimmed("\xc3\xa9 "), "\xc3\xa9") << "a letter of UTF-8 is no blank";
}

TEST(SettingValue, BooleansAreReadAsSparkReadsThem) {
  for (const char* text : {"true", "True", "TRUE", " true\n"}) EXPECT_EQ(ParseBoolean(text), true) << text;
  for (const char* text : {"false", "False", "fAlSe "}) EXPECT_EQ(ParseBoolean(text), false) << text;
  for (const char* text : {"", "yes", "1", "truee", "tru", "t rue", "on"}) EXPECT_EQ(ParseBoolean(text), std::nullopt) << text;
}

}  // namespace
}  // namespace memprof
