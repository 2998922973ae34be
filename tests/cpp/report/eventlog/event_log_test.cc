#include "eventlog/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "eventlog/event_lines.h"
#include "eventlog/event_parts.h"
#include "report/death_keys.h"
#include "report/json.h"
#include "report/packed_text.h"
#include "report/sample_store.h"

namespace memprof {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr int64_t kNow = 1'700'000'060'000;

// A log as Spark writes it: its own events around ours.
struct Log {
  std::vector<std::string> lines = {
      R"({"Event":"SparkListenerLogStart","Spark Version":"4.3.0"})",
      R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.plugins":"org.sparkmemprof.MemoryProfilerPlugin"}})",
      R"({"Event":"SparkListenerApplicationStart","App Name":"weighted <average>","App ID":"app-7","Timestamp":1700000000001})",
      R"({"Event":"SparkListenerJobStart","Job ID":0,"Stage Infos":[]})",
  };

  void Put(const std::vector<ReportEvent>& events, int version = 1) {
    for (const ReportEvent& event : events) {
      lines.push_back(json{
          {"Event", "org.sparkmemprof.report.ReportPart"},
          {"part", event.part},
          {"id", event.id},
          {"schemaVersion", version},
          {"report",
           event.text}}.dump());
      std::string& line = lines.back();  // nlohmann sorts keys; Spark begins with the event's name, as does 'E' before 'i'
      EXPECT_TRUE(line.starts_with("{\"Event\"")) << line.substr(0, 40);
    }
  }

  std::string Text() const {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }
};

Result<Report> Read(std::string_view text, size_t piece = SIZE_MAX, size_t most_bytes = EventLogReport::kMostBytes) {
  EventLogReport log(most_bytes);
  EventLines lines(log);
  for (size_t at = 0; at < text.size(); at += std::min(piece, text.size() - at)) lines.Add(text.substr(at, piece));
  if (!lines.Finish()) log.IsCut("is cut off in the middle of a line");
  return log.Make();
}

std::vector<ReportEvent> All(ProfileStore& store, bool end, bool with_source = true) {
  std::vector<ReportEvent> all;
  for (auto some = store.TakeEvents(kNow, end, with_source); !some.empty(); some = store.TakeEvents(kNow, end, with_source)) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

json Model(const Report& report) { return json::parse(WriteReportJson(report)); }

std::vector<std::string> Unavailable(const Report& report) {
  std::vector<std::string> all;
  for (const ReportNotAvailable& entry : report.not_available) all.push_back(entry.what + ": " + entry.why);
  return all;
}

class SampleLog : public ::testing::Test {
 protected:
  SampleLog() {
    testing::FillSample(store_);
    log_.Put(All(store_, true));
  }

  ProfileStore store_;
  Log log_;
};

TEST_F(SampleLog, IsTheApplicationsReport) {
  Result<Report> report = Read(log_.Text());
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(Model(*report), Model(store_.Model(false)));
}

TEST_F(SampleLog, InPiecesOfAnySizeAndWithLongLinesOfOthersBetween) {
  std::string text = log_.Text();
  text.insert(text.find('\n') + 1, "{\"Event\":\"SparkListenerSQLExecutionStart\",\"plan\":\"" + std::string(5 << 20, 'x') + "\"}\n");
  for (size_t piece : {4096u, 1'000'003u}) {
    Result<Report> report = Read(text, piece);
    ASSERT_TRUE(report.ok()) << report.status().message();
    EXPECT_EQ(Model(*report), Model(store_.Model(false)));
  }
}

TEST_F(SampleLog, AnyOrderAndAnOlderPartBeforeANewerOne) {
  Log other;
  Report old;
  old.stages.resize(1);
  old.stages[0].stage_id = 2;
  old.stages[0].name = "an older row";
  other.Put({{"stage", "2.0", StagePart(old.stages[0], 1 << 16)->text}});
  other.lines.insert(other.lines.end(), log_.lines.rbegin(), log_.lines.rend() - 4);
  Result<Report> report = Read(other.Text());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(Model(*report)["stages"], Model(store_.Model(false))["stages"]);
}

TEST_F(SampleLog, CutAnywhereItGivesWhatIsWhole) {
  const std::string text = log_.Text();
  size_t with_stages = 0;
  for (size_t end = 0; end + 1 < text.size(); end += 97) {  // without its last newline it is whole
    Result<Report> report = Read(std::string_view(text).substr(0, end));
    if (!report.ok()) {
      EXPECT_NE(std::string(report.status().message()), "") << end;
      continue;
    }
    EXPECT_TRUE(report->unfinished);
    EXPECT_THAT(Unavailable(*report), ::testing::Contains(HasSubstr("the end of the application's profile")));
    EXPECT_EQ(report->application.id, "app-7");
    EXPECT_EQ(report->application.name, "weighted <average>");
    EXPECT_EQ(report->application.spark_version, "4.3.0");
    EXPECT_EQ(report->application.started_ms, 1'700'000'000'001);
    with_stages += !report->stages.empty();
  }
  EXPECT_GT(with_stages, 10u);
}

TEST_F(SampleLog, ALostPartIsTold) {
  std::erase_if(log_.lines, [](const std::string& line) { return line.find("\"id\":\"2.0\"") != std::string::npos; });
  Result<Report> report = Read(log_.Text());
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->unfinished);
  EXPECT_EQ(report->stages.size(), 2u);
  EXPECT_THAT(Unavailable(*report), ::testing::Contains(HasSubstr("rows of 1 stages: the event log lacks them")));
}

TEST_F(SampleLog, OneWithMoreThanIsReadSaysSo) {
  ReportExecutor executor;
  std::vector<ReportEvent> events;
  for (int number = 0; number < 2000; ++number) {
    executor.id = "more" + std::to_string(number);
    events.push_back({"executor", executor.id, ExecutorPart(executor, kExecutorPartBytes)->text});
  }
  Log log;
  log.Put(events);
  log.lines.insert(log.lines.end(), log_.lines.begin() + 4, log_.lines.end());
  size_t bytes = 0;  // nearly all of the first ones, and a twelfth for the application
  for (const ReportEvent& event : events) bytes += event.id.size() + event.text.size();
  ASSERT_GT(bytes / 12, log_.Text().size());
  Result<Report> report = Read(log.Text(), SIZE_MAX, bytes);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->unfinished) << "the application's part comes last";
  EXPECT_TRUE(report->stages.empty());
  const std::vector<std::string> told = Unavailable(*report);
  EXPECT_THAT(told, ::testing::Contains(HasSubstr("rows of 3 stages: the event log holds more of the profile than the ")));
  EXPECT_THAT(told, ::testing::Contains(HasSubstr("the later records of the event log: the event log holds more")));
  EXPECT_THAT(told, ::testing::Not(::testing::Contains(HasSubstr("dropped events"))));
}

TEST_F(SampleLog, DamagedPartsAreTold) {
  for (std::string& line : log_.lines) {
    if (line.find("\"id\":\"3.0\"") == std::string::npos) continue;
    json event = json::parse(line);
    event["report"] = event["report"].get<std::string>().substr(0, 100);
    line = event.dump();
  }
  Result<Report> report = Read(log_.Text());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->stages.size(), 2u);
  EXPECT_THAT(Unavailable(*report), ::testing::Contains(HasSubstr("1 parts of the event log: they are damaged")));
}

TEST_F(SampleLog, PartsThatAreLargerThanAnyOfOursAreTold) {
  for (const size_t bytes : {size_t{3} << 20, size_t{5} << 20}) {
    Log log = log_;
    log.Put({{"stage", "99.0", std::string(bytes, 'x')}});
    for (const size_t piece : {4096u, 1'000'003u}) {
      Result<Report> report = Read(log.Text(), piece);
      ASSERT_TRUE(report.ok());
      EXPECT_EQ(Model(*report)["stages"], Model(store_.Model(false))["stages"]);
      EXPECT_THAT(Unavailable(*report), ::testing::Contains(HasSubstr("1 part of the event log: larger than any")));
    }
  }
}

TEST(EventLog, WithoutOurEventsItSaysWhichSettingWasMissing) {
  Log log;
  EXPECT_THAT(Read(log.Text()).status().message(), HasSubstr("spark.memprof.eventLog.enabled"));
  log.lines[1] = R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.plugins":"com.example.Other"}})";
  EXPECT_THAT(Read(log.Text()).status().message(), HasSubstr("--conf spark.plugins=org.sparkmemprof.MemoryProfilerPlugin"));
  log.lines[1] = R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{}})";
  EXPECT_THAT(Read(log.Text()).status().message(), HasSubstr("--conf spark.plugins=org.sparkmemprof.MemoryProfilerPlugin"));
  EXPECT_EQ(Read(log.Text()).status().code(), ErrorCode::kNotFound);
}

TEST(EventLog, OfALaterVersion) {
  ProfileStore store;
  testing::FillSample(store);
  Log log;
  log.Put(All(store, true), 2);
  Result<Report> report = Read(log.Text());
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.status().code(), ErrorCode::kUnsupported);
  EXPECT_THAT(report.status().message(), HasSubstr("schema version 2, this one reads 1. Update sparkmemprof"));
}

TEST(EventLog, IsAnybodys) {
  for (const char* text :
       {"", "\n\n", "not JSON", "[]", "{\"Event\":", "{\"Event\":\"org.sparkmemprof.report.ReportPart\"}\n",
        "{\"Event\":\"org.sparkmemprof.report.ReportPart\",\"part\":7,\"id\":{},\"schemaVersion\":\"x\",\"report\":[]}\n",
        "{\"Event\":\"org.sparkmemprof.report.ReportPart\",\"part\":\"stage\",\"report\":\"H4sIAAAA\"}\n",
        "{\"Event\":\"SparkListenerApplicationStart\",\"App ID\":[],\"Timestamp\":18446744073709551615}\n"}) {
    EXPECT_FALSE(Read(text).ok()) << text;
  }
  // A bomb: much that unpacks to far more than any part is.
  Log log;
  log.Put({{"stage", "0.0", PackText(std::string(100u << 20, ' '))}, {"stage", "0.1", std::string(2u << 20, '{')}});
  EXPECT_EQ(Read(log.Text()).status().code(), ErrorCode::kCorrupt);
}

TEST(EventLog, OfVeryManyDeathsEachIsToldOnce) {
  Log log;
  std::vector<ReportEvent> events;
  ReportPostMortem death;
  death.process = "jvm";
  for (int number = 0; number < 150; ++number) {  // those that stood among the newest, one time or another
    death.executor_id = std::to_string(number);
    death.time_ms = 1000 + number;
    death.headline = "whole " + death.executor_id;
    events.push_back({"postMortem", DeathKey(death), PostMortemPart(death, kPostMortemPartBytes)->text});
  }
  Report application;
  for (int number = 149; number >= 0; --number) {
    const std::string id = std::to_string(number);
    application.other_deaths.push_back({id, 1000 + number, id, true, "short " + id});
  }
  application.other_deaths.push_back({"151", 999, "151", true, "short 151"});
  events.push_back({"application", "", ApplicationPart(application, kApplicationPartBytes)->text});
  log.Put(events);
  Result<Report> report = Read(log.Text());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->post_mortems.size(), 100u);
  EXPECT_EQ(report->post_mortems.back().executor_id, "149");
  ASSERT_EQ(report->other_deaths.size(), 51u);
  EXPECT_EQ(report->other_deaths.back().headline, "short 151");
  for (const ReportOtherDeath& other : report->other_deaths) {
    EXPECT_TRUE(other.headline.starts_with("short ")) << other.headline << ": the application's part is newer";
  }
  for (const ReportPostMortem& shown : report->post_mortems) EXPECT_TRUE(shown.headline.starts_with("whole "));
}

TEST(EventLog, TheDriverHasARowBesideVeryManyExecutors) {
  Log log;
  std::vector<ReportEvent> events;
  for (int number = 0; number <= 600; ++number) {
    ReportExecutor executor;
    executor.id = number == 0 ? "driver" : std::to_string(number);
    executor.at_peak.emplace().used_bytes = 1'000'003 + static_cast<uint64_t>(number);
    events.push_back({"executor", executor.id, ExecutorPart(executor, kExecutorPartBytes)->text});
  }
  log.Put(events);
  Result<Report> report = Read(log.Text());
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->other_executors);
  EXPECT_EQ(report->executors.size() + report->other_executors->executors, 601u);
  EXPECT_EQ(report->other_executors->largest_used_bytes, 1'000'003u + 101) << "499 of 600 have a row";
  const auto is_driver = [](const ReportExecutor& row) { return row.id == "driver"; };
  EXPECT_EQ(std::count_if(report->executors.begin(), report->executors.end(), is_driver), 1);
}

TEST(EventLog, OfVeryManyStagesStaysAReport) {
  Log log;
  ReportStage stage;
  stage.tasks = 3;
  stage.totals = {{Origin::kPython, 40, 40 * 1009, 40, 77}};
  for (uint32_t i = 0; i < 40; ++i) {
    ReportSite& site = stage.sites.emplace_back();
    site.origin = Origin::kPython;
    site.allocated_bytes = 1009;
    site.frames.assign(12, {Language::kPython, "function_" + std::to_string(i), "/a/file.py", "", i});
  }
  std::vector<ReportEvent> events;
  for (stage.stage_id = 0; stage.stage_id < 1203; ++stage.stage_id) {
    events.push_back({"stage", PartId(stage), StagePart(stage, kStagePartBytes)->text});
  }
  log.Put(events);
  Result<Report> report = Read(log.Text());
  ASSERT_TRUE(report.ok());
  EXPECT_LT(WriteReportJson(*report).size(), 16u << 20);
  ASSERT_TRUE(report->other_stages);
  EXPECT_EQ(report->stages.size() + report->other_stages->stages, 1203u);
  EXPECT_EQ(report->other_stages->tasks, 3 * report->other_stages->stages);
  EXPECT_EQ(report->other_stages->totals[0].allocated_bytes, 40 * 1009 * report->other_stages->stages);
  EXPECT_EQ(report->other_stages->totals[0].live_at_peak_bytes, 77u);
  for (const ReportStage& row : report->stages) {
    uint64_t sum = row.remainders.empty() ? 0 : row.remainders[0].allocated_bytes;
    for (const ReportSite& site : row.sites) sum += site.allocated_bytes;
    EXPECT_EQ(sum, row.totals[0].allocated_bytes) << "totals add up";
  }
}

}  // namespace
}  // namespace memprof
