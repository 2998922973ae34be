#include "base/valid_utf8.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(ValidUtf8, MalformedBytesAreReplacedOneByOne) {
  EXPECT_EQ(ValidUtf8("plain"), "plain");
  EXPECT_EQ(ValidUtf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(ValidUtf8("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // cut short
  EXPECT_EQ(ValidUtf8("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong zero, as in modified UTF-8
  EXPECT_EQ(ValidUtf8("\xED\xA0\xBD"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
}

}  // namespace
}  // namespace memprof
