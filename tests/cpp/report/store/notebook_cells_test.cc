// Cells of a notebook are shown by the number that their user sees, whenever that becomes known.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "facts/driver_actions.h"
#include "facts/source_table.h"
#include "proto/envelope.h"
#include "report/store/small_job.h"

namespace memprof {
namespace {

using namespace testing;

const char* const kCell = "notebook cell 1234567";

ProfileBuilder TaskOfCell() {
  ProfileBuilder builder(7, kStage, 0);
  const uint32_t udf = builder.Udf("typed", kCell, 1, "RDD");
  builder.Site(proto::ORIGIN_PYTHON, {Python("typed", kCell, 3)}, kScratch, 1).set_udf(udf);
  return builder;
}

// A task whose memory is that of the file's third line.
void RunTaskOf(const std::string& file, ProfileStore& store) {
  ProfileBuilder task(7, kStage, 0);
  task.Site(proto::ORIGIN_PYTHON, {Python("typed", file, 3)}, kScratch, 1);
  Ingest(store, task.Bytes());
  End(store, 7, 0);
}

std::string CellBytes(const std::string& file, uint32_t number) {  // 0: of a script
  proto::Envelope envelope = EnvelopeOf("");
  proto::DriverSource& cell = *envelope.mutable_symbols()->add_driver_sources();
  cell.set_file(file);
  cell.set_number(number);
  cell.set_text("def typed(_):\n\nblock = 1\n");
  return envelope.SerializeAsString();
}

TEST(NotebookCells, AreShownByTheirNumberWheneverItCame) {
  std::string first;
  for (const bool before : {true, false}) {
    ProfileStore store;
    if (before) Ingest(store, CellBytes(kCell, 12));
    Ingest(store, TaskOfCell().Bytes());
    End(store, 7, 0);
    if (!before) Ingest(store, CellBytes(kCell, 12));
    const Json stage = StageOf(store);
    EXPECT_EQ(stage["lines"][0]["file"], "notebook cell 12");
    EXPECT_EQ(stage["lines"][0]["source"], "block = 1");
    EXPECT_EQ(stage["sites"][0]["frames"][0]["file"], "notebook cell 12");
    EXPECT_EQ(stage["sites"][0]["udf"], "typed (notebook cell 12, line 1)");
    EXPECT_EQ(store.ReportJson(false).find("1234567"), std::string::npos);
    if (before) first = store.ReportJson(false);
    EXPECT_EQ(store.ReportJson(false), first);
  }
}

TEST(NotebookCells, ACellThatRanAgainHasItsLastNumber) {
  ProfileStore store;
  Ingest(store, TaskOfCell().Bytes());
  End(store, 7, 0);
  Ingest(store, CellBytes(kCell, 12));
  Ingest(store, CellBytes(kCell, 14));
  EXPECT_EQ(StageOf(store)["lines"][0]["file"], "notebook cell 14");
}

TEST(NotebookCells, ActionsHaveTheNumbersOfTheirCells) {
  ProfileStore store;
  JobStart job;
  job.stages = {kStage};
  job.call_site = "collect at /tmp/ipykernel_4711/1234567.py:3";
  job.built_at = "/tmp/ipykernel_4711/1234567.py:3\n/tmp/ipykernel_4711/1234567.py:2\n/jobs/tables.py:9";
  store.JobStarted(job);
  const auto action = [&] { return Json::parse(store.ReportJson(false))["driver"]["actions"][0]; };
  EXPECT_EQ(action()["callSite"], "collect at notebook cell 1234567:3") << "not told yet";
  Ingest(store, CellBytes(kCell, 12));
  EXPECT_EQ(action()["callSite"], "collect at notebook cell 12:3");
  EXPECT_EQ(action()["file"], "notebook cell 12");
  EXPECT_EQ(action()["builtAt"][0]["file"], "notebook cell 12");
  EXPECT_EQ(action()["builtAt"][1]["file"], "/jobs/tables.py");
}

TEST(NotebookCells, OtherFilesKeepTheirNames) {
  ProfileStore store;
  Ingest(store, DemoTask(7, 0).Bytes());
  End(store, 7, 0);
  Ingest(store, CellBytes("/jobs/averages.py", 12));
  EXPECT_EQ(StageOf(store)["lines"][0]["file"], "/jobs/averages.py");
}

TEST(NotebookCells, WhatWasTypedAtPythonsPromptHasItsTextUnderItsName) {
  ProfileStore store;
  RunTaskOf("<python-input-3>", store);
  Ingest(store, CellBytes("<stdin>", 0));
  Ingest(store, CellBytes("<python-input-3>", 12));
  EXPECT_EQ(StageOf(store)["lines"][0]["source"], nullptr);
  Ingest(store, CellBytes("<python-input-3>", 0));
  EXPECT_EQ(StageOf(store)["lines"][0]["file"], "<python-input-3>");
  EXPECT_EQ(StageOf(store)["lines"][0]["source"], "block = 1");
}

TEST(NotebookCells, AScriptThatHasChangedHasNoText) {
  ProfileStore store;
  RunTaskOf("/jobs/job.py", store);
  Ingest(store, CellBytes("/jobs/job.py", 0));
  Ingest(store, CellBytes("/jobs/job.py", 0));
  EXPECT_EQ(StageOf(store)["lines"][0]["source"], "block = 1");
  proto::Envelope changed;
  ASSERT_TRUE(changed.ParseFromString(CellBytes("/jobs/job.py", 0)));
  changed.mutable_symbols()->mutable_driver_sources(0)->set_text("\n\n\nblock = 1\n");
  for (const std::string& bytes : {changed.SerializeAsString(), CellBytes("/jobs/job.py", 0)}) {
    Ingest(store, bytes);
    EXPECT_EQ(StageOf(store)["lines"][0]["source"], nullptr) << "it is not known which of them ran";
  }
}

void ReadOnExecutor(const std::string& text, ProfileStore& store) {
  proto::Envelope read = EnvelopeOf("");
  proto::SourceLine& line = *read.mutable_symbols()->add_source_lines();
  line.set_file("/jobs/job.py");
  line.set_line(3);
  line.set_text(text);
  Ingest(store, read.SerializeAsString());
}

// A script that executors don't have, or have in another version: its functions are pickled with their code.
TEST(NotebookCells, AScriptsTextComesFromTheDriverUnlessAnExecutorHasAnother) {
  ProfileStore store;
  const auto source = [&store] { return Json(StageOf(store)["lines"][0]["source"]); };
  RunTaskOf("/jobs/job.py", store);
  EXPECT_EQ(source(), nullptr);
  Ingest(store, CellBytes("/jobs/job.py", 0));
  EXPECT_EQ(source(), "block = 1");
  ReadOnExecutor("block = 1", store);
  EXPECT_EQ(source(), "block = 1");

  ProfileStore of_two_versions;
  RunTaskOf("/jobs/job.py", of_two_versions);
  ReadOnExecutor("block = 2", of_two_versions);
  EXPECT_EQ(StageOf(of_two_versions)["lines"][0]["source"], "block = 2");
  Ingest(of_two_versions, CellBytes("/jobs/job.py", 0));
  EXPECT_EQ(StageOf(of_two_versions)["lines"][0]["source"], nullptr) << "it is not known which of them ran";
}

TEST(NotebookCells, AScriptThatHasChangedHasNotTheExecutorsTextEither) {
  ProfileStore store;
  RunTaskOf("/jobs/job.py", store);
  ReadOnExecutor("block = 1", store);
  proto::Envelope changed;
  ASSERT_TRUE(changed.ParseFromString(CellBytes("/jobs/job.py", 0)));
  changed.mutable_symbols()->mutable_driver_sources(0)->set_text("\n\n\nblock = 1\n");
  for (const std::string& bytes : {CellBytes("/jobs/job.py", 0), changed.SerializeAsString()}) Ingest(store, bytes);
  EXPECT_EQ(StageOf(store)["lines"][0]["source"], nullptr);
}

// So many lines are known that no further one has room.
TEST(NotebookCells, ALineWithTwoTextsHasNoneHoweverManyAreKnown) {
  ProfileStore store;
  RunTaskOf("/jobs/job.py", store);
  ReadOnExecutor("block = 1", store);
  proto::Envelope many = EnvelopeOf("");
  for (uint32_t number = 1; number < SourceTable::kMostLines + 100; ++number) {
    proto::SourceLine& line = *many.mutable_symbols()->add_source_lines();
    line.set_file("/jobs/other.py");
    line.set_line(number);
    line.set_text("pass");
  }
  Ingest(store, many.SerializeAsString());
  EXPECT_EQ(StageOf(store)["lines"][0]["source"], "block = 1");
  ReadOnExecutor("block = 2", store);
  EXPECT_EQ(StageOf(store)["lines"][0]["source"], nullptr);
}

TEST(NotebookCells, ALineThatTwoExecutorsReadDifferentlyHasNoText) {
  ProfileStore store;
  RunTaskOf("/jobs/job.py", store);
  for (const char* text : {"block = 1", "block = 1"}) ReadOnExecutor(text, store);
  EXPECT_EQ(StageOf(store)["lines"][0]["source"], "block = 1");
  for (const char* text : {"block = 2", "block = 1"}) {
    ReadOnExecutor(text, store);
    EXPECT_EQ(StageOf(store)["lines"][0]["source"], nullptr) << "it is not known which of them ran";
  }
}

TEST(NotebookCells, ANumberOutlivesTheCopyThatKeepsAStoreSmall) {
  ProfileStore store(256 << 10);
  Ingest(store, CellBytes(kCell, 12));  // of a profile that comes later
  for (int id = 100; id < 140; ++id) {
    ProfileBuilder task(id, id, 0);
    for (uint32_t line = 1; line <= 200; ++line)
      task.Site(proto::ORIGIN_PYTHON, {Python("f" + std::to_string(id), "/f.py", line)}, 1009, 1);
    Ingest(store, task.Bytes());
    store.TaskEnded({id, id, 0, 0, 0, "1", TaskOutcome::kSucceeded, "", id});
    store.StageCompleted(id, 0, "", id);
  }
  Ingest(store, TaskOfCell().Bytes());
  End(store, 7, 0);
  const Json report = ReportOf(store);
  EXPECT_GT(report["counters"]["droppedSites"], 0) << "it has been copied";
  const auto stage =
      std::find_if(report["stages"].begin(), report["stages"].end(), [](const Json& each) { return each["stageId"] == kStage; });
  EXPECT_EQ((*stage)["lines"][0]["file"], "notebook cell 12");
  EXPECT_EQ((*stage)["lines"][0]["source"], "block = 1");
  EXPECT_EQ(store.ReportJson(false).find("1234567"), std::string::npos);
}

TEST(NotebookCells, TextsOfTheOldestAreForgotten) {
  ProfileStore store;
  Ingest(store, TaskOfCell().Bytes());
  End(store, 7, 0);
  Ingest(store, CellBytes(kCell, 12));
  EXPECT_EQ(StageOf(store)["lines"][0]["source"], "block = 1");
  for (int id = 1; id <= 20; ++id) {
    proto::Envelope envelope;
    ASSERT_TRUE(envelope.ParseFromString(CellBytes("notebook cell 9" + std::to_string(id), 20)));
    envelope.mutable_symbols()->mutable_driver_sources(0)->set_text(std::string(60'000, 'x'));
    Ingest(store, envelope.SerializeAsString());
  }
  EXPECT_EQ(StageOf(store)["lines"][0]["file"], "notebook cell 12");
  EXPECT_EQ(StageOf(store)["lines"][0]["source"], nullptr);
}

}  // namespace
}  // namespace memprof
