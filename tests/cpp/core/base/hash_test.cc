#include "base/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>

namespace memprof {
namespace {

TEST(HashBytes, EveryBitOfARecordMovesTheChecksum) {
  for (size_t size : {1u, 7u, 8u, 12u, 64u, 104u}) {
    std::string record(size, '\x5a');
    const uint64_t checksum = HashBytes(record.data(), size, 3);
    for (size_t bit = 0; bit < size * 8; ++bit) {
      record[bit / 8] ^= static_cast<char>(1 << bit % 8);
      EXPECT_NE(HashBytes(record.data(), size, 3), checksum) << "size " << size << " bit " << bit;
      record[bit / 8] ^= static_cast<char>(1 << bit % 8);
    }
    EXPECT_NE(HashBytes(record.data(), size, 4), checksum);
  }
}

TEST(HashBytes, LengthCountsEvenWhereTheBytesAreZero) {
  std::set<uint64_t> seen;
  const char zeros[64] = {};
  for (size_t size = 0; size <= sizeof zeros; ++size) seen.insert(HashBytes(zeros, size, 0));
  EXPECT_EQ(seen.size(), sizeof zeros + 1);
}

TEST(HashBytes, HalfTheBitsMove) {
  double moved = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    uint64_t next = i ^ 1;
    moved += std::popcount(HashBytes(&i, 8, 0) ^ HashBytes(&next, 8, 0));
  }
  EXPECT_NEAR(moved / 1000, 32, 1);
}

}  // namespace
}  // namespace memprof
