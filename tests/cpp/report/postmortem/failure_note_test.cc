#include "postmortem/failure_note.h"

#include <gtest/gtest.h>

#include <string>

namespace memprof {
namespace {

constexpr int64_t kNow = 1'700'000'000'000;
const std::string kAborted =
    "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 3.0 failed 2 times, most recent failure: Lost task "
    "0.1 in stage 3.0 (TID 7) (10.0.0.1 executor 2): ";
const std::string kCrashed = kAborted + "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)";
const std::string kLost =
    kAborted + "ExecutorLostFailure (executor 2 exited caused by one of the running tasks) Reason: Command exited with code 137";
const std::string kMissing =
    "org.apache.spark.SparkException: Job aborted due to stage failure: ResultStage 5 (count at job.py:7) has failed the maximum allowable "
    "number of times: 4. Most recent failure reason: org.apache.spark.shuffle.MetadataFetchFailedException: Missing an output location";
const std::string kRefused = "org.apache.spark.api.python.PythonException: Traceback (most recent call last):\nMemoryError\n";

const FailedJob kJob = {.job_id = 8, .stages = {3, 5}, .task = std::nullopt};
const FailedJob kJobOfTask = {.job_id = 8, .stages = {3, 5}, .task = 7};

struct Facts {
  const char* executor;
  const char* process = "python-worker";
  std::optional<int32_t> stage = std::nullopt;
  std::optional<int64_t> task = std::nullopt;
  int64_t age_ms = 0;
  std::optional<int32_t> job = std::nullopt;
  bool of_heap = false;
};

ReportPostMortem Death(const Facts& facts) {
  ReportPostMortem death;
  death.executor_id = facts.executor;
  death.process = facts.process;
  death.stage_id = facts.stage;
  death.task_attempt_id = facts.task;
  death.job_id = facts.job;
  if (facts.of_heap) death.heap.emplace();
  death.time_ms = kNow - facts.age_ms;
  return death;
}

TEST(FailureNote, TheWorkersThatHadTheTask) {
  const std::vector<ReportPostMortem> deaths = {Death({.executor = "1", .stage = 3, .task = 6, .age_ms = 10}),
                                                Death({.executor = "2", .stage = 3, .task = 7, .age_ms = 20}),
                                                Death({.executor = "2", .stage = 4, .task = 9}), Death({.executor = "driver"})};
  EXPECT_EQ(DeathOf(kCrashed, kJobOfTask, deaths, kNow), &deaths[1]);
  EXPECT_EQ(DeathOf(kCrashed, std::nullopt, deaths, kNow), nullptr) << "which job's it is isn't known yet";
}

TEST(FailureNote, TheLastAttemptIsWaitedFor) {
  const std::vector<ReportPostMortem> deaths = {Death({.executor = "1", .stage = 3, .task = 6})};
  EXPECT_EQ(DeathOf(kCrashed, kJobOfTask, deaths, kNow), nullptr);
}

TEST(FailureNote, AnErrorOfTheUsersIsNoDeath) {
  const std::vector<ReportPostMortem> deaths = {Death({.executor = "2", .stage = 3, .task = 6}), Death({.executor = "driver"})};
  const std::string own = kAborted + "ValueError: no such column";
  EXPECT_FALSE(TellsOfDeath(own));
  EXPECT_EQ(DeathOf(own, kJobOfTask, deaths, kNow), nullptr);
  EXPECT_EQ(DeathOf(kAborted + "ValueError: MemoryError, says the user", kJobOfTask, deaths, kNow), nullptr) << "another attempt died";
}

TEST(FailureNote, TheExecutorThatWasLost) {
  const std::vector<ReportPostMortem> deaths = {Death({.executor = "2", .process = "jvm", .stage = 4, .age_ms = 20}),
                                                Death({.executor = "22", .process = "jvm", .stage = 3}),
                                                Death({.executor = "2", .stage = 3, .task = 7})};
  EXPECT_EQ(DeathOf(kLost, kJob, deaths, kNow), &deaths[0]) << "whichever stage its largest task was of";
}

TEST(FailureNote, WhereNoTaskIsNamed) {
  const std::vector<ReportPostMortem> deaths = {Death({.executor = "1", .stage = 3, .task = 6, .age_ms = 10}),
                                                Death({.executor = "2", .process = "jvm", .stage = 3, .task = 7}),
                                                Death({.executor = "2", .stage = 30, .task = 8})};
  EXPECT_EQ(DeathOf(kMissing, kJob, deaths, kNow), &deaths[1]);
  EXPECT_EQ(DeathOf(kRefused, kJob, deaths, kNow), &deaths[1]);
  EXPECT_EQ(DeathOf(kRefused, FailedJob{.job_id = 8, .stages = {3, 5}, .task = 6}, deaths, kNow), &deaths[0]);
}

TEST(FailureNote, WhatTheJobAskedOfTheDriver) {
  const std::string failure =
      "Job aborted due to stage failure: Total size of serialized results of 3 tasks (2.2 MiB) is bigger than spark.driver.maxResultSize";
  const std::vector<ReportPostMortem> deaths = {Death({.executor = "driver", .process = "jvm", .age_ms = 10, .job = 8}),
                                                Death({.executor = "driver", .process = "jvm", .job = 7})};
  EXPECT_EQ(DeathOf(failure, kJob, deaths, kNow), &deaths[0]);
  EXPECT_EQ(DeathOf(failure, FailedJob{.job_id = 9, .stages = {9}, .task = std::nullopt}, deaths, kNow), nullptr);
}

TEST(FailureNote, TheDriversOwnHeap) {
  const std::string failure = "java.lang.OutOfMemoryError: Java heap space";
  std::vector<ReportPostMortem> deaths = {Death({.executor = "2", .stage = 3}),
                                          Death({.executor = "driver", .process = "jvm", .age_ms = 50'000})};
  EXPECT_EQ(DeathOf(failure, std::nullopt, deaths, kNow), &deaths[1]);
  EXPECT_EQ(DeathOf(failure, std::nullopt, deaths, kNow + 11'000), nullptr) << "another time";
}

// collect() whose jobs succeeded, and whose rows fill the heap when they are unpacked: no job failed.
TEST(FailureNote, TheDriversHeapThatAnActionFilled) {
  const std::vector<ReportPostMortem> deaths = {Death({.executor = "driver", .process = "jvm", .age_ms = 20, .job = 8, .of_heap = true}),
                                                Death({.executor = "driver", .process = "jvm", .age_ms = 10, .job = 8})};
  for (const char* failure : {"java.lang.OutOfMemoryError: Java heap space",
                              "org.apache.spark.SparkException: Not enough memory to build and broadcast the table to all worker nodes."}) {
    EXPECT_EQ(DeathOf(failure, std::nullopt, deaths, kNow), &deaths[0]) << failure << ": not the limit of results";
  }
  EXPECT_EQ(DeathOf(kAborted + "java.lang.OutOfMemoryError: Java heap space", std::nullopt, deaths, kNow), nullptr) << "an executor's";
}

// By a thread of the driver's that found no room: the job that ran then was not what filled the heap, perhaps.
TEST(FailureNote, TheDriversHeapThatStoppedTheContext) {
  const std::string failure = "org.apache.spark.SparkException: Job 8 cancelled because SparkContext was shut down";
  const std::vector<ReportPostMortem> deaths = {Death({.executor = "2", .process = "jvm", .stage = 3, .age_ms = 20}),
                                                Death({.executor = "driver", .process = "jvm", .age_ms = 50'000, .of_heap = true}),
                                                Death({.executor = "driver"})};
  EXPECT_TRUE(TellsOfDeath(failure));
  EXPECT_EQ(DeathOf(failure, kJob, deaths, kNow), &deaths[1]);
  EXPECT_EQ(DeathOf(failure, std::nullopt, deaths, kNow), &deaths[1]);
  EXPECT_EQ(DeathOf(failure, kJob, deaths, kNow + 11'000), nullptr) << "the program stopped it";
}

TEST(FailureNote, AnyTextIsFine) {
  const std::vector<ReportPostMortem> deaths = {Death({.executor = "2", .stage = 4, .task = 7})};
  for (const char* text : {"", "MemoryError", "ExecutorLostFailure (executor ", "ExecutorLostFailure (executor x)",
                           "java.lang.OutOfMemoryError ExecutorLostFailure (executor 99999999999999999999999)"}) {
    EXPECT_EQ(DeathOf(text, kJob, deaths, kNow), nullptr) << text;
    EXPECT_EQ(DeathOf(text, std::nullopt, deaths, kNow), nullptr) << text;
  }
}

}  // namespace
}  // namespace memprof
