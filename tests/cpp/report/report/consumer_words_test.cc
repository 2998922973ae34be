#include "report/consumer_words.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(ConsumerWords, ByTheClass) {
  EXPECT_EQ(OperatorOf("org.apache.spark.shuffle.sort.ShuffleExternalSorter"), "shuffle write");
  EXPECT_EQ(OperatorOf("org.apache.spark.sql.execution.joins.LongToUnsafeRowMap$$anon$5"), "hash join");
  EXPECT_EQ(OperatorOf("com.example.ShuffleExternalSorter"), "") << "somebody else's class of the same name";
  EXPECT_EQ(OperatorOf("org.apache.spark.Unheard"), "");
  EXPECT_EQ(ConsumerTitle("org.apache.spark.shuffle.sort.ShuffleExternalSorter", "shuffle write"), "ShuffleExternalSorter (shuffle write)");
  EXPECT_EQ(ConsumerTitle("Own", ""), "Own");
}

}  // namespace
}  // namespace memprof
