#include "program/driver_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "report/json.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr int64_t kEnd = 1'700'000'000'000;
constexpr uint64_t kHost = 16'000'000'000;

// Its JVM is killed, `age_ms` after its largest use.
DriverEnd KilledJvm(uint64_t used, int64_t age_ms) {
  Report report;
  report.application.id = "app-1";
  ReportExecutor& driver = report.executors.emplace_back();
  driver.id = "driver";
  driver.at_peak.emplace();
  driver.at_peak->used_bytes = used;
  driver.at_peak->time_ms = kEnd - age_ms;
  DriverEnd end;
  end.report_json = WriteReportJson(report);
  end.python.ended_ms = kEnd;
  end.exit_status = 128 + SIGKILL;
  end.jvm_killed = true;
  end.host_memory_bytes = kHost;
  return end;
}

Json TheDeath(const DriverEnd& end) {
  const Result<DriverReport> report = ReportOfDriver(end);
  EXPECT_TRUE(report.ok()) << report.status().message();
  const Json deaths = Json::parse(report->json)["postMortems"];
  EXPECT_EQ(deaths.size(), 1u);
  return deaths[0];
}

TEST(DriverEnd, WithoutEvidenceItIsNotKnown) {
  for (const DriverEnd& end : {KilledJvm(kHost / 3, 100), KilledJvm(kHost / 100 * 97, 3'600'000)}) {
    const Json death = TheDeath(end);
    EXPECT_EQ(death["outOfMemory"], false);
    EXPECT_EQ(death["unknown"], true);
    EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("The driver's JVM died; why is not known (exit code 137"));
    EXPECT_EQ(death["advice"].size(), 0u);
  }
}

TEST(DriverEnd, AContainerThatWasFarFromFullWasKilledByHand) {
  DriverEnd end = KilledJvm(kHost / 9, 100);
  end.limit_bytes = kHost / 3;
  const Json death = TheDeath(end);
  EXPECT_EQ(death["unknown"], false);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("died, not of memory"));
  DriverEnd later = KilledJvm(kHost / 4, 5'000);
  later.limit_bytes = kHost / 3;
  EXPECT_EQ(TheDeath(later)["unknown"], true) << "1.3 GB are filled in five seconds";
}

// Some distributions start drivers with -XX:OnOutOfMemoryError='kill -9 %p': HotSpot runs that before it tells anybody of the error.
TEST(DriverEnd, AJvmThatKillsItselfOfAFullHeapWasNotKilledByHand) {
  DriverEnd end = KilledJvm(kHost / 9, 100);
  end.limit_bytes = kHost / 3;
  Report report = *ReadReportJson(end.report_json);
  report.executors[0].kills_itself_on_out_of_memory = true;
  end.report_json = WriteReportJson(report);
  const Json death = TheDeath(end);
  EXPECT_EQ(death["unknown"], true);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("The driver's JVM died; why is not known"));
  EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("its JVM is told to kill itself so on an OutOfMemoryError"));
  report.executors[0].at_peak->used_bytes = kHost / 300 * 97;
  report.executors[0].heap_max_bytes = kHost / 3;
  report.executors[0].heap_after_gc_peak = ReportHeapUse{kHost / 10, "", kEnd - 1'000, true};
  end.report_json = WriteReportJson(report);
  EXPECT_EQ(TheDeath(end)["outOfMemory"], true) << "the container was full, and the heap never was";
}

TEST(DriverEnd, TheKernelsCountDecides) {
  DriverEnd end = KilledJvm(kHost / 3, 100);
  end.limit_bytes = kHost / 2;
  end.kernel_kills = 1;
  end.started_by = "somebody";
  EXPECT_EQ(TheDeath(end)["outOfMemory"], true);
  EXPECT_THAT(TheDeath(end)["how"].get<std::string>(), HasSubstr("rose by 1, as somebody, which had started it, "));
  EXPECT_EQ(ReportOfDriver(end)->deaths.at(0).headline, TheDeath(end)["headline"].get<std::string>());
  end.kernel_kills = 0;
  EXPECT_EQ(TheDeath(end)["outOfMemory"], false);
  EXPECT_EQ(TheDeath(end)["unknown"], false);
  EXPECT_EQ(TheDeath(end)["advice"].size(), 0u);
  end.limit_bytes = kHost / 100 * 34;
  const Json near = TheDeath(end);
  EXPECT_EQ(near["outOfMemory"], false);
  EXPECT_EQ(near["unknown"], true);
  EXPECT_THAT(near["headline"].get<std::string>(),
              HasSubstr("was killed, not by the kernel, but perhaps by another killer for its memory"));
  EXPECT_GT(near["advice"].size(), 0u);
}

struct OtherDeath {
  const char* name;
  const char *executor = "1", *host = "node7", *limit_source = "cgroup";
  uint64_t limit = kHost / 2;  // of its executor; the driver's is the same
  int64_t age_ms = 1'000;      // at the driver's end; kills of the last minute are counted
  bool killed_itself = false, of_memory = false, unknown = true;
  std::optional<uint64_t> drivers_limit = kHost / 2;
};

// The counter of the driver's cgroup has the kills of what ran beside it, too.
TEST(DriverEnd, KillsThatAreToldAlreadyMayHaveBeenOfOthers) {
  const OtherDeath cases[] = {
      {.name = "a local worker", .executor = "driver", .unknown = false},
      {.name = "a local worker, perhaps before", .executor = "driver", .age_ms = 59'000},
      {.name = "a local worker, long ago", .executor = "driver", .age_ms = 3'600'000, .of_memory = true, .unknown = false},
      {.name = "an executor, long ago", .age_ms = 3'600'000, .of_memory = true, .unknown = false},
      {.name = "an executor in the same one, perhaps"},
      {.name = "in one within it, perhaps", .limit = kHost / 4},
      {.name = "in a larger one", .limit = kHost / 4 * 3, .of_memory = true, .unknown = false},
      {.name = "in none with a limit", .limit_source = "host", .limit = kHost},
      {.name = "the driver in none with a limit", .drivers_limit = std::nullopt},
      {.name = "on another host", .host = "node8", .of_memory = true, .unknown = false},
      {.name = "on the same host", .host = "node7.example.com"},
      {.name = "on some host", .host = "10.0.0.8"},
      {.name = "on the host itself", .host = "localhost"},
      {.name = "one that killed itself", .killed_itself = true, .of_memory = true, .unknown = false},
  };
  for (const OtherDeath& each : cases) {
    DriverEnd end = KilledJvm(kHost / 3, 100);
    end.limit_bytes = each.drivers_limit;
    end.kernel_kills = 1;
    end.kills_since_ms = kEnd - 60'000;
    Report report = *ReadReportJson(end.report_json);
    report.executors[0].host = "node7";
    ReportExecutor& executor = report.executors.emplace_back();
    executor.id = "1";
    executor.host = each.host;
    executor.limit_source = each.limit_source;
    executor.limit_bytes = each.limit;
    ReportPostMortem& other = report.post_mortems.emplace_back();
    other.executor_id = each.executor;
    other.process = "jvm";
    other.exit_code = 128 + SIGKILL;
    other.time_ms = kEnd - each.age_ms;
    other.out_of_memory = true;
    if (each.killed_itself) other.heap.emplace();
    end.report_json = WriteReportJson(report);
    const Json deaths = Json::parse(ReportOfDriver(end)->json)["postMortems"];
    ASSERT_EQ(deaths.size(), 2u);
    EXPECT_EQ(deaths[1]["outOfMemory"], each.of_memory) << each.name;
    EXPECT_EQ(deaths[1]["unknown"], each.unknown) << each.name;
  }
}

// A heap of 4 GiB, 2 GiB of it resident, in a container of 4.5 GiB where 2.9 GiB were in use.
TEST(DriverEnd, AHeapThatHasNoRoomToGrowIsToldWithTheActionThen) {
  constexpr uint64_t kMi = 1 << 20;
  DriverEnd end = KilledJvm(2900 * kMi, 100);
  Report report = *ReadReportJson(end.report_json);
  ReportExecutor& driver = report.executors[0];
  driver.heap_max_bytes = 4096 * kMi;
  ReportProcess& jvm = driver.processes.emplace_back();
  jvm.pid = 17;
  jvm.kind = "jvm";
  jvm.rows = {{"Java heap", 2048 * kMi}};
  report.driver.emplace();
  for (const char* call_site : {"count at job.py:7", "collect at job.py:22"}) {
    ReportAction& action = report.driver->actions.emplace_back();
    action.call_site = call_site;
    action.jobs = {static_cast<int32_t>(report.driver->actions.size())};
    action.started_ms = kEnd - 10'000;
    action.result_tasks = 3;
    action.result_bytes = 30 * kMi;
    action.query_id = 3;
  }
  report.driver->actions[0].ended_ms = kEnd - 11'000;
  report.driver->actions[1].built_at = {{"/jobs/job.py", 3}, {"/jobs/job.py", 9}};
  end.report_json = WriteReportJson(report);
  end.limit_bytes = 4608 * kMi;
  end.kernel_kills = 1;
  const Json death = TheDeath(end);
  EXPECT_EQ(death["action"], "collect at job.py:22");
  EXPECT_THAT(death["how"].get<std::string>(), EndsWith("; its plan was built at job.py:3, 9"));
  end.report_ms = kEnd - 9'999;
  EXPECT_THAT(TheDeath(end)["how"].get<std::string>(), EndsWith("; its plan was built at job.py:3, 9")) << "as good as now";
  end.report_ms = kEnd - 28'000;
  EXPECT_THAT(TheDeath(end)["how"].get<std::string>(),
              EndsWith("at job.py:3, 9; what ran then is known as of the report's last checkpoint, 28.0 s before"));
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("collect at job.py:22 had brought 30.0 MiB in 3 tasks; 63 % of the limit"));
  ASSERT_EQ(death["advice"].size(), 3u);
  EXPECT_THAT(death["advice"][0]["because"].get<std::string>(), HasSubstr("what is collected comes to 30.0 MiB, serialised"));
  EXPECT_EQ(death["advice"][1]["conf"], "spark.driver.memory");
  EXPECT_EQ(death["advice"][1]["from"], "4096m");
  EXPECT_EQ(death["advice"][1]["to"], "3670m");  // 4608 - (2900 - 2048) × 1.1
  EXPECT_THAT(death["advice"][2]["because"].get<std::string>(), HasSubstr("a memory limit of at least"));
  ReportAction& batch = report.driver->actions.emplace_back();  // beside it, and younger
  batch.call_site = "foreachBatch at job.py:3";
  batch.started_ms = kEnd - 1'000;
  batch.result_bytes = 55;
  end.report_json = WriteReportJson(report);
  EXPECT_EQ(TheDeath(end)["action"], "collect at job.py:22");
  end.limit_bytes = 8192 * kMi;
  EXPECT_EQ(TheDeath(end)["advice"].size(), 2u) << "it has room";
}

TEST(DriverEnd, WithoutAContainerItIsTheMachineThatWasFull) {
  DriverEnd end = KilledJvm(kHost / 100 * 97, 100);
  end.kernel_kills = 1;
  const Json death = TheDeath(end);
  EXPECT_EQ(death["outOfMemory"], true);
  ASSERT_EQ(death["advice"].size(), 1u);
  EXPECT_THAT(death["advice"][0]["because"].get<std::string>(),
              HasSubstr("no container limits the driver, so its machine ran out of memory: one with at least"));
  Report report = *ReadReportJson(end.report_json);
  report.executors[0].limit_unseen = true;
  end.report_json = WriteReportJson(report);
  EXPECT_THAT(TheDeath(end)["advice"][0]["because"].get<std::string>(),
              HasSubstr("a larger limit for the container around the driver, which can't be seen from inside: "));
}

// The driver's settings are not in its report.
TEST(DriverEnd, ATableToBroadcastHasNoSettingsThatAreNotKnown) {
  DriverEnd end = KilledJvm(kHost / 2, 100);
  Report report = *ReadReportJson(end.report_json);
  report.driver.emplace();
  ReportAction& action = report.driver->actions.emplace_back();
  action.call_site = "count at job.py:7";
  action.started_ms = kEnd - 10'000;
  action.result_tasks = 3;
  action.broadcast_bytes = kHost / 9;
  end.report_json = WriteReportJson(report);
  end.limit_bytes = kHost / 2;
  end.kernel_kills = 1;
  const Json death = TheDeath(end);
  EXPECT_EQ(death["advice"][0]["conf"], nullptr);
  EXPECT_THAT(death["advice"][0]["because"].get<std::string>(), HasSubstr("set spark.sql.autoBroadcastJoinThreshold to -1"));
}

// The kernel counts the kills of a full host in the victim's cgroup, too.
TEST(DriverEnd, OthersMayHaveFilledTheHost) {
  for (const bool full : {true, false}) {
    DriverEnd end = KilledJvm(kHost / 4, 100);
    end.limit_bytes = kHost;
    end.host_memory_bytes = 4 * kHost;
    end.kernel_kills = 1;
    end.host_available_bytes = full ? end.host_memory_bytes / 100 : end.host_memory_bytes / 2;
    const Json death = TheDeath(end);
    EXPECT_EQ(death["outOfMemory"], true);
    EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr(full ? "The driver's JVM was killed for its host's memory (exit code 137"
                                                                     : "The driver's JVM was killed for its memory (exit code 137"));
    ASSERT_EQ(death["advice"].size(), 1u);
    EXPECT_EQ(death["advice"][0]["because"].get<std::string>().find("fewer executors or other programs on the driver's host") == 0, full)
        << death["advice"];
  }
}

// It was measured every few seconds, and others may have let go of it, or taken it.
TEST(DriverEnd, AHostThatHadRoomProvesNothing) {
  DriverEnd end = KilledJvm(kHost / 3, 100);
  end.host_available_bytes = kHost / 2;
  EXPECT_EQ(TheDeath(end)["unknown"], true);
}

TEST(DriverEnd, AnExitStatusOfItsOwnIsNoDeath) {
  DriverEnd end = KilledJvm(kHost / 3, 100);
  end.exited = true;
  EXPECT_EQ(ReportOfDriver(end).status().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace memprof
