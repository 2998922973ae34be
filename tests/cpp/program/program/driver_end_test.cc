#include "program/driver_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "report/json.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;
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
}

// The counter of the driver's cgroup has the kills of what ran beside it, too. Who killed itself is not in it.
TEST(DriverEnd, KillsThatAreToldAlreadyWereOfOthers) {
  DriverEnd end = KilledJvm(kHost / 3, 100);
  end.limit_bytes = kHost / 2;
  end.kernel_kills = 1;
  Report report = *ReadReportJson(end.report_json);
  ReportPostMortem& executor = report.post_mortems.emplace_back();
  executor.executor_id = "1";
  executor.process = "jvm";
  executor.exit_code = 128 + SIGKILL;
  executor.out_of_memory = true;
  for (const bool killed_itself : {false, true}) {
    if (killed_itself) report.post_mortems[0].heap.emplace();
    end.report_json = WriteReportJson(report);
    EXPECT_THAT(ReportOfDriver(end)->deaths.at(0).headline, HasSubstr(killed_itself ? "was killed for its memory" : "not of memory"));
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
  }
  report.driver->actions[0].ended_ms = kEnd - 11'000;
  end.report_json = WriteReportJson(report);
  end.limit_bytes = 4608 * kMi;
  end.kernel_kills = 1;
  const Json death = TheDeath(end);
  EXPECT_EQ(death["action"], "collect at job.py:22");
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("collect at job.py:22 had brought 30.0 MiB in 3 tasks; 63 % of the limit"));
  ASSERT_EQ(death["advice"].size(), 2u);
  EXPECT_EQ(death["advice"][0]["conf"], "spark.driver.memory");
  EXPECT_EQ(death["advice"][0]["from"], "4096m");
  EXPECT_EQ(death["advice"][0]["to"], "3670m");  // 4608 - (2900 - 2048) × 1.1
  EXPECT_THAT(death["advice"][1]["because"].get<std::string>(), HasSubstr("a memory limit of at least"));
  end.limit_bytes = 8192 * kMi;
  EXPECT_EQ(TheDeath(end)["advice"].size(), 1u) << "it has room";
}

TEST(DriverEnd, AnExitStatusOfItsOwnIsNoDeath) {
  DriverEnd end = KilledJvm(kHost / 3, 100);
  end.exited = true;
  EXPECT_EQ(ReportOfDriver(end).status().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace memprof
