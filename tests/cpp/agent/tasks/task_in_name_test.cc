#include "tasks/task_in_name.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(TaskInName, IsWhatSparkCallsItsThread) {
  const std::optional<TaskKey> key = TaskInThreadName("Executor task launch worker for task 3.1 in stage 5.2 (TID 41)");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->task_attempt_id, 41);
  EXPECT_EQ(key->stage_id, 5);
  EXPECT_EQ(key->stage_attempt, 2);
  EXPECT_EQ(key->partition, 3);
  EXPECT_EQ(key->attempt_number, 1);
}

TEST(TaskInName, OtherNamesHaveNone) {
  for (const char* name : {"", "main", "Executor task launch worker-0", "Executor task launch worker for task 3.1 in stage 5.2",
                           "Executor task launch worker for task 3.1 in stage 5.2 (TID 41", "Executor task launch worker for task 3",
                           "Executor task launch worker for task 3.1 in stage 5.2 (TID 99999999999999999999)",
                           "Executor task launch worker for task -3.1 in stage 5.2 (TID 41)",
                           "Executor task launch worker for task 3.1 in stage 5.2 (TID 41) again"}) {
    EXPECT_FALSE(TaskInThreadName(name)) << name;
  }
}

}  // namespace
}  // namespace memprof
