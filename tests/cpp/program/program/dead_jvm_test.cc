#include "program/dead_jvm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/envelope.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;

std::string Word(int64_t time_ms, int64_t task, const char* error, bool ends_jvm) {
  proto::Envelope envelope = EnvelopeOf("3");
  proto::HeapShortage& shortage = *envelope.mutable_heap_shortage();
  shortage.set_time_ms(time_ms);
  shortage.set_task_attempt_id(task);
  shortage.set_error(error);
  shortage.set_ends_jvm(ends_jvm);
  shortage.set_jvm_pid(4711);
  return envelope.SerializeAsString();
}

TEST(DeathByWords, TheErrorThatEndedTheJvmAndNoOther) {
  const std::optional<ReportPostMortem> death =
      DeathByWords({Word(2'000, 8, "of another thread", false), Word(1'000, 7, "Java heap space", true)});
  ASSERT_TRUE(death);
  EXPECT_EQ(death->executor_id, "3");
  EXPECT_EQ(death->pid, 4711);
  EXPECT_THAT(death->how, HasSubstr("exit code 3"));
  EXPECT_THAT(death->how, HasSubstr("Java heap space"));
}

TEST(DeathByWords, WithoutAnEndTheNewestError) {
  const std::optional<ReportPostMortem> death =
      DeathByWords({Word(1'000, 7, "Java heap space", false), Word(2'000, 8, "GC overhead limit exceeded", false)});
  ASSERT_TRUE(death);
  EXPECT_EQ(death->how, "its last word was an OutOfMemoryError: GC overhead limit exceeded; how it ended is not known");
}

TEST(DeathByWords, NothingOfOtherWords) {
  proto::Envelope nearly_full = EnvelopeOf("3");
  nearly_full.mutable_heap_shortage()->set_nearly_full(true);
  EXPECT_FALSE(DeathByWords({nearly_full.SerializeAsString()}));
  EXPECT_FALSE(DeathByWords({}));
  EXPECT_FALSE(DeathByWords({"no envelope"}));
}

}  // namespace
}  // namespace memprof
