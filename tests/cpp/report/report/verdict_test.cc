#include "report/verdict.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

constexpr uint64_t kMi = 1 << 20;

ReportExecutor Executor(const char* id, uint64_t used, uint64_t limit, const char* source = "cgroup", bool enforced = true) {
  ReportExecutor executor;
  executor.id = id;
  executor.limit_bytes = limit;
  executor.limit_source = source;
  executor.limit_enforced = enforced;
  executor.at_peak = ReportMoment{};
  executor.at_peak->used_bytes = used;
  return executor;
}

ReportPostMortem Death(const char* headline, bool of_memory) {
  ReportPostMortem death;
  death.headline = headline;
  death.how = "the kernel's counter";
  death.out_of_memory = of_memory;
  return death;
}

TEST(ReportVerdict, ADeathByMemoryComesFirst) {
  Report report;
  report.executors = {Executor("1", 100 * kMi, 100 * kMi)};
  report.post_mortems = {Death("Executor 2 was lost.", false), Death("Executor 1 was killed.", true)};
  ReportVerdict verdict = VerdictOf(report);
  EXPECT_EQ(verdict.tone, Tone::kBad);
  EXPECT_EQ(verdict.sentence, "Executor 1 was killed.");
  EXPECT_EQ(verdict.because, "How this is known: the kernel's counter.");
  report.post_mortems.pop_back();
  verdict = VerdictOf(report);
  EXPECT_EQ(verdict.tone, Tone::kWarn);
  EXPECT_EQ(verdict.sentence, "Executor 2 was lost.");
}

TEST(ReportVerdict, NamesTheFullestExecutor) {
  Report report;
  report.executors = {Executor("1", 20 * kMi, 100 * kMi), Executor("2", 90 * kMi, 100 * kMi)};
  ReportVerdict verdict = VerdictOf(report);
  EXPECT_EQ(verdict.tone, Tone::kWarn);
  EXPECT_EQ(verdict.sentence, "No executor and no Python worker died. Executor 2 came closest to its limit: 90.0 MiB of 100.0 MiB, 90 %.");
  EXPECT_EQ(verdict.because, "That limit is its cgroup's: the kernel kills beyond it.");
  report.executors[1].limit_shared = true;
  EXPECT_EQ(VerdictOf(report).because, "That limit is its cgroup's, which it shares with other executors: the kernel kills beyond it.");
  report.executors.pop_back();
  verdict = VerdictOf(report);
  EXPECT_EQ(verdict.tone, Tone::kGood);
  EXPECT_EQ(verdict.sentence, "No executor and no Python worker died. Executor 1 used at most 20.0 MiB of 100.0 MiB, 20 %.");
  report.executors[0].limit_source = "host";
  EXPECT_EQ(VerdictOf(report).because, "That limit is the physical memory of the host.");
  EXPECT_EQ(LimitPhrase(report.executors[0]), "physical memory of the host");
  report.executors[0].limit_unseen = true;
  EXPECT_EQ(VerdictOf(report).because,
            "That limit is the physical memory of the host; a container may have a lower one, which can't be seen from inside it.");
  EXPECT_EQ(LimitPhrase(report.executors[0]), "physical memory of the host; a container's can't be seen");
  report.executors[0].host_is_group = true;
  EXPECT_EQ(VerdictOf(report).because, "That limit is its NodeManager's control group's, which has other containers in it, too.");
  EXPECT_EQ(LimitPhrase(report.executors[0]), "limit of its NodeManager's control group");
  report.executors[0].limit_source = "spark";
  report.executors[0].limit_enforced = false;
  EXPECT_EQ(LimitPhrase(report.executors[0]), "requested, not enforced; a container's can't be seen");
  report.executors[0].limit_enforced = true;
  EXPECT_EQ(LimitPhrase(report.executors[0]), "requested by Spark");
}

TEST(ReportVerdict, WhatAClusterManagerGrantedIsSaid) {
  Report report;
  report.executors = {Executor("1", 90 * kMi, 100 * kMi)};
  ReportExecutor& executor = report.executors[0];
  executor.limit_source = "spark";
  executor.limit_unseen = false;
  executor.requested_bytes = 100 * kMi;
  EXPECT_EQ(VerdictOf(report).because, "That limit is what Spark requested of the cluster manager.");
  executor.requested_bytes = 80 * kMi;
  EXPECT_EQ(VerdictOf(report).because, "That limit is what the cluster manager grants for what Spark requested.");
  executor.limit_enforced = false;
  executor.regions = {{"overhead", 0, std::nullopt}};
  EXPECT_EQ(LimitPhrase(executor), "requested, not enforced");
  executor.regions = {{"overhead", 10 * kMi, std::nullopt}};
  EXPECT_EQ(LimitPhrase(executor), "requested by Spark, more was granted");
  EXPECT_EQ(VerdictOf(report).because,
            "That limit is what Spark requested; the executor lived above it, so its cluster manager has granted more.");
}

TEST(ReportVerdict, ADriverThatNobodyMeasuresIsSaidNotToBe) {
  Report report;
  report.unfinished = true;
  EXPECT_EQ(UnmeasuredDriver(report), "") << "its row comes a little later";
  report.unfinished = false;
  EXPECT_NE(UnmeasuredDriver(report), "") << "no row ever came";
  report.executors = {Executor("1", 20 * kMi, 100 * kMi)};
  EXPECT_EQ(
      UnmeasuredDriver(report),
      "The driver is not measured, so its own death would not show here: spark.memprof.driver.enabled is false, or its log says why.");
  report.executors.push_back(Executor("driver", 20 * kMi, 100 * kMi));
  EXPECT_EQ(UnmeasuredDriver(report), "");
  report.executors.pop_back();
  report.application.master = "program";
  EXPECT_EQ(UnmeasuredDriver(report), "");
}

TEST(ReportVerdict, OfAProgramIsHowItEnded) {
  Report report;
  report.application.master = "program";
  report.executors = {ReportExecutor()};
  report.stages = {ReportStage()};
  EXPECT_EQ(VerdictOf(report).sentence, "The program ended without a failure.");
  EXPECT_EQ(VerdictOf(report).tone, Tone::kGood);
  report.stages[0].failure_reason = "killed by SIGKILL";
  EXPECT_EQ(VerdictOf(report).sentence, "The program did not end well: killed by SIGKILL.");
  EXPECT_EQ(VerdictOf(report).tone, Tone::kWarn);
}

TEST(ReportVerdict, SaysWhenNothingIsKnown) {
  Report report;
  EXPECT_EQ(VerdictOf(report).sentence, "No executor was seen.");
  report.unfinished = true;
  EXPECT_EQ(VerdictOf(report).sentence, "Nothing was measured so far.");
  report.executors = {ReportExecutor()};
  EXPECT_EQ(VerdictOf(report).sentence, "No executor and no Python worker has died so far.");
  EXPECT_EQ(VerdictOf(report).tone, Tone::kPlain);
}

TEST(ReportVerdict, WhatIsWorthChangingIsNotGood) {
  Report report;
  report.executors = {Executor("1", 20 * kMi, 100 * kMi)};
  EXPECT_EQ(VerdictOf(report).tone, Tone::kGood);
  report.findings = {ReportFinding()};
  EXPECT_EQ(VerdictOf(report).tone, Tone::kWarn);
}

TEST(ReportVerdict, ALimitThatNobodyEnforcesIsNeverBad) {
  EXPECT_EQ(ToneOf(Executor("1", 84 * kMi, 100 * kMi)), Tone::kPlain);
  EXPECT_EQ(ToneOf(Executor("1", 85 * kMi, 100 * kMi)), Tone::kWarn);
  EXPECT_EQ(ToneOf(Executor("1", 97 * kMi, 100 * kMi)), Tone::kBad);
  EXPECT_EQ(ToneOf(Executor("1", 120 * kMi, 100 * kMi, "spark", false)), Tone::kWarn);
  EXPECT_EQ(LimitPhrase(Executor("1", 1, 100, "spark", false)), "requested, not enforced");
  EXPECT_EQ(ToneOf(ReportExecutor()), Tone::kPlain);
  EXPECT_EQ(UseOf(Executor("1", 1, 0)), -1);
}

}  // namespace
}  // namespace memprof
