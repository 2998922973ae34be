#include "base/size.h"

#include <gtest/gtest.h>

#include <string>

namespace memprof {
namespace {

TEST(ParseSize, ReadsWhatPeopleWrite) {
  const struct {
    const char* text;
    uint64_t bytes;
  } cases[] = {{"0", 0},
               {"4096", 4096},
               {"512k", 512 * kKiB},
               {"512K", 512 * kKiB},
               {"64kb", 64 * kKiB},
               {"64KiB", 64 * kKiB},
               {"1m", kMiB},
               {" 16 MB ", 16 * kMiB},
               {"3g", 3 * kGiB},
               {"2TiB", 2048 * kGiB},
               {"7b", 7},
               {"16777215t", 16777215 * kGiB * 1024},
               {"18446744073709551615", ~uint64_t{0}}};
  for (const auto& c : cases) {
    Result<uint64_t> size = ParseSize(c.text);
    ASSERT_TRUE(size.ok()) << c.text << ": " << size.status().message();
    EXPECT_EQ(*size, c.bytes) << c.text;
  }
}

TEST(ParseSize, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "'' is not a size: write a whole number and a unit, such as 512k"},
      {"k", "'k' is not a size: write a whole number and a unit, such as 512k"},
      {"-1", "'-1' is not a size: write a whole number and a unit, such as 512k"},
      {"1.5g", "'1.5g' is not a size: its unit is none of b, k, m, g, t"},
      {"512q", "'512q' is not a size: its unit is none of b, k, m, g, t"},
      {"5bb", "'5bb' is not a size: its unit is none of b, k, m, g, t"},
      {"5kib2", "'5kib2' is not a size: its unit is none of b, k, m, g, t"},
      {"1 2", "'1 2' is not a size: its unit is none of b, k, m, g, t"},
      {"16777216t", "'16777216t' is too large a size"},
      {"18446744073709551616", "'18446744073709551616' is too large a size"},
  };
  for (const auto& c : cases) {
    Result<uint64_t> size = ParseSize(c.text);
    ASSERT_FALSE(size.ok()) << c.text;
    EXPECT_STREQ(size.status().message(), c.message);
    EXPECT_EQ(size.status().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(ParseSize, ALongTextDoesNotFloodTheMessage) {
  Result<uint64_t> size = ParseSize(std::string(10'000, 'x'));
  ASSERT_FALSE(size.ok());
  EXPECT_LT(std::string(size.status().message()).size(), 200u);
}

}  // namespace
}  // namespace memprof
