#include "base/utf8.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(Utf8, EveryLengthRoundTrips) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x90\x98z";  // a é € 🐘 z
  EXPECT_EQ(Utf8ToUtf16(text), u"aé€🐘z");
  EXPECT_EQ(Utf16ToUtf8(Utf8ToUtf16(text)), text);
}

TEST(Utf8, LoneSurrogatesBecomeTheReplacementCharacter) {
  EXPECT_EQ(Utf16ToUtf8(std::u16string{u'a', 0xD83D}), "a\xEF\xBF\xBD");
  EXPECT_EQ(Utf16ToUtf8(std::u16string{0xDC18, u'b'}),
            "\xEF\xBF\xBD"
            "b");
}

}  // namespace
}  // namespace memprof
