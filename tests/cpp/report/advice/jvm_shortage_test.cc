// Texts as JDK 11, 17 and 21, Netty and Spark write them.
#include "advice/jvm_shortage.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

JvmShortage Parsed(std::string_view error) {
  std::optional<JvmShortage> shortage = ParseJvmShortage(error);
  EXPECT_TRUE(shortage) << error;
  return shortage.value_or(JvmShortage());
}

TEST(JvmShortage, OfDirectBuffers) {
  JvmShortage shortage =
      Parsed("java.lang.OutOfMemoryError: Cannot reserve 300000007 bytes of direct buffer memory (allocated: 16385, limit: 104857600)");
  EXPECT_EQ(shortage.pool, JvmPool::kDirectBuffers);
  EXPECT_EQ(shortage.asked_bytes, 300'000'007u);
  EXPECT_EQ(shortage.held_bytes, 16'385u);
  EXPECT_EQ(shortage.limit_bytes, 104'857'600u);
  shortage = Parsed("java.lang.OutOfMemoryError: Direct buffer memory");
  EXPECT_EQ(shortage.pool, JvmPool::kDirectBuffers);
  EXPECT_FALSE(shortage.asked_bytes || shortage.held_bytes || shortage.limit_bytes);
  shortage = Parsed(
      "io.netty.util.internal.OutOfDirectMemoryError: failed to allocate 4194304 byte(s) of direct memory (used: 12582912, max: 16777216)");
  EXPECT_EQ(shortage.pool, JvmPool::kDirectBuffers);
  EXPECT_EQ(shortage.asked_bytes, 4'194'304u);
  EXPECT_EQ(shortage.held_bytes, 12'582'912u);
  EXPECT_EQ(shortage.limit_bytes, 16'777'216u);
}

TEST(JvmShortage, OfOtherPools) {
  EXPECT_EQ(Parsed("java.lang.OutOfMemoryError: Java heap space").pool, JvmPool::kHeap);
  EXPECT_EQ(Parsed("java.lang.OutOfMemoryError: GC overhead limit exceeded").pool, JvmPool::kHeap);
  for (const char* array :
       {"Requested array size exceeds VM limit", "Required length exceeds implementation limit",
        "Required array length 2147483639 + 9 is too large", "UTF16 String size is 1207959552, should be less than 1073741823"}) {
    EXPECT_EQ(Parsed(std::string("java.lang.OutOfMemoryError: ") + array + "\n\tat java.util.Arrays.copyOf").pool, JvmPool::kArray)
        << array;
  }
  for (const char* other :
       {"java.lang.OutOfMemoryError", "java.lang.OutOfMemoryError\n\tat Java heap space", "java.lang.OutOfMemoryError: Map failed"}) {
    EXPECT_EQ(Parsed(other).pool, JvmPool::kOther) << other;
  }
  EXPECT_EQ(Parsed("java.lang.OutOfMemoryError: Metaspace").pool, JvmPool::kMetaspace);
  EXPECT_EQ(Parsed("java.lang.OutOfMemoryError: Compressed class space").pool, JvmPool::kClassSpace);
  EXPECT_EQ(Parsed("java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory").pool, JvmPool::kThreads);
}

TEST(JvmShortage, OfNone) {
  for (const char* error : {"", "java.net.SocketException: Connection reset", "MemoryError", "direct buffer memory"}) {
    EXPECT_FALSE(ParseJvmShortage(error)) << error;
  }
  const JvmShortage cut =
      Parsed("java.lang.OutOfMemoryError: Cannot reserve 99999999999999999999999 bytes of direct buffer memory (allocated: x");
  EXPECT_FALSE(cut.asked_bytes || cut.held_bytes);
}

}  // namespace
}  // namespace memprof
