#include "budget/memory_size.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

// What org.apache.spark.network.util.JavaUtils.byteStringAs accepts, in bytes.
TEST(MemorySize, ReadsWhatSparkReads) {
  struct {
    const char* text;
    uint64_t default_unit, bytes;
  } cases[] = {
      {"512m", kMib, 512 * kMib},
      {"2g", kMib, 2 * kGib},
      {"2GB", kMib, 2 * kGib},
      {"1024", kMib, kGib},
      {"1024", 1, 1024},
      {" 300k ", 1, 300 * kKib},
      {"7b", kMib, 7},
      {"1t", kMib, 1024 * kGib},
      {"3pb", 1, 3 * 1024 * 1024 * kGib},
      {"0", kMib, 0},
  };
  for (const auto& [text, unit, bytes] : cases) {
    Result<uint64_t> size = ParseMemorySize(text, unit);
    ASSERT_TRUE(size.ok()) << text;
    EXPECT_EQ(*size, bytes) << text;
  }
}

TEST(MemorySize, RefusesWhatSparkRefuses) {
  for (const char* text : {"", " ", "m", "1.5g", "-1g", "+1g", "1 g", "1gib", "1bb", "1x", "12345678901234567890123", "99999999p", "1g1"}) {
    EXPECT_FALSE(ParseMemorySize(text, kMib).ok()) << text;
  }
}

}  // namespace
}  // namespace memprof
