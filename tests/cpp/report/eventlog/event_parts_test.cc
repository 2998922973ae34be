#include "eventlog/event_parts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "report/json.h"
#include "report/packed_text.h"

namespace memprof {
namespace {

// Of no use to a packer.
std::string Noise(size_t bytes) {
  static std::mt19937 random(20'011);
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>('a' + random() % 26);
  return text;
}

ReportSiteGroup Group(uint32_t sites) {
  ReportSiteGroup group;
  for (uint32_t i = 0; i < sites; ++i) {
    ReportSite& site = group.sites.emplace_back();
    site.origin = i % 3 == 0 ? Origin::kJvmHeap : Origin::kPython;
    site.allocated_bytes = 2003 * (sites - i);
    site.allocations = 1;
    site.frames = {{Language::kPython, Noise(200), Noise(100), "", i + 1}};
    ReportLine& line = group.lines.emplace_back();
    line.function = Noise(40);
    line.allocated_bytes = site.allocated_bytes;
    line.sites = {i};
  }
  return group;
}

ReportStage Stage(uint32_t sites) {
  ReportStage stage;
  static_cast<ReportSiteGroup&>(stage) = Group(sites);
  static_cast<ReportSiteGroup&>(stage.other_attempts) = Group(sites / 4);
  stage.stage_id = 17;
  stage.attempt = 2;
  return stage;
}

Report Back(const PartText& part) { return *ReadReportJson(PartJson(part.text).value()); }

TEST(EventParts, WhatFitsIsWholeAndShortOnesCanBeRead) {
  const ReportStage stage = Stage(8);
  PartText part = StagePart(stage, kStagePartBytes).value();
  EXPECT_EQ(part.cut, 0u);
  EXPECT_EQ(part.text[0], '{');
  EXPECT_EQ(WriteStageJson(Back(part).stages.at(0)), WriteStageJson(stage));
  const ReportStage larger = Stage(60);
  part = StagePart(larger, kStagePartBytes).value();
  EXPECT_EQ(part.cut, 0u);
  EXPECT_NE(part.text[0], '{');
  EXPECT_EQ(WriteStageJson(Back(part).stages.at(0)), WriteStageJson(larger));
}

TEST(EventParts, AStageThatDoesNotFitKeepsItsLargestSites) {
  const ReportStage stage = Stage(4001);
  const PartText part = StagePart(stage, kStagePartBytes).value();
  EXPECT_LE(RecordBytes(part.text), kStagePartBytes);
  const ReportStage back = Back(part).stages.at(0);
  ASSERT_GT(back.sites.size(), 30u);
  EXPECT_EQ(part.cut, 4001 + 1000 - back.sites.size() - back.other_attempts.sites.size());
  uint64_t allocated = 0, sites = back.sites.size(), least_python = UINT64_MAX;
  for (const ReportSite& site : back.sites) {
    allocated += site.allocated_bytes;
    if (site.origin == Origin::kPython) least_python = std::min(least_python, site.allocated_bytes);
  }
  for (const ReportOriginSum& rest : back.remainders) {
    allocated += rest.allocated_bytes;
    sites += rest.sites;
  }
  EXPECT_EQ(allocated, uint64_t{2003} * 4001 * 4002 / 2);
  EXPECT_EQ(sites, 4001u);
  EXPECT_GT(least_python, 2003u * 3900) << "the largest ones stayed";
  for (const ReportLine& line : back.lines) {
    if (!line.sites.empty()) {
      EXPECT_EQ(back.sites.at(line.sites[0]).allocated_bytes, line.allocated_bytes);
    }
  }
}

TEST(EventParts, OfVeryManyTasksTheHeaviestAreThere) {
  ReportStage stage = Stage(2);
  for (uint64_t i = 0; i < 1003; ++i) {
    ReportTask& task = stage.task_rows.emplace_back();
    task.task_attempt_id = static_cast<int64_t>(i);
    task.figures.fill(7'000'003 - i * i);
  }
  stage.task_rows_known = 1003;
  const PartText part = StagePart(stage, kStagePartBytes).value();
  EXPECT_LE(RecordBytes(part.text), kStagePartBytes);
  const ReportStage back = Back(part).stages.at(0);
  EXPECT_EQ(back.task_rows_known, 1003u);
  ASSERT_EQ(back.task_rows.size(), 400u);
  EXPECT_EQ(back.task_rows[399].task_attempt_id, 399);
  EXPECT_EQ(back.sites.size(), 2u);
}

TEST(EventParts, AnExecutorThatDoesNotFitKeepsItsLargestProcesses) {
  ReportExecutor executor;
  executor.id = "7";
  executor.at_peak.emplace().used_bytes = 5'000'000;
  for (int i = 0; i < 3001; ++i) {
    ReportProcess process;
    process.pid = i + 1;
    process.kind = "python-worker";
    process.peak_rss_bytes = 9'000'000 - static_cast<uint64_t>(i) * 1009;
    process.rows = {{Noise(150), 5}};
    executor.processes.push_back(process);
    executor.at_peak->processes.push_back(process);
  }
  const PartText part = ExecutorPart(executor, kExecutorPartBytes / 2).value();
  EXPECT_LE(RecordBytes(part.text), kExecutorPartBytes / 2);
  const ReportExecutor back = Back(part).executors.at(0);
  EXPECT_EQ(part.cut, 3001 - back.processes.size());
  EXPECT_GT(back.processes.size(), 20u);
  EXPECT_EQ(back.processes[0].pid, 1);
  auto held = [](const ReportMoment& moment) {
    int64_t bytes = moment.unattributed_bytes;
    for (const ReportProcess& process : moment.processes) bytes += static_cast<int64_t>(process.peak_rss_bytes);
    return bytes;
  };
  EXPECT_EQ(held(*back.at_peak), held(*executor.at_peak)) << "the moment still adds up";
}

TEST(EventParts, NothingIsWrittenWhereNotEvenTheRowFits) { EXPECT_FALSE(StagePart(Stage(50), 300)); }

TEST(EventParts, TextIsPackedInPiecesOfAnySize) {
  const std::string text = Noise(300'007);
  for (const size_t piece : {1, 1009, 65'536, 65'537, 300'007}) {
    StringSink packed;
    TextPacker packer(packed);
    for (size_t at = 0; at < text.size(); at += piece) packer.Write(std::string_view(text).substr(at, piece));
    packer.End();
    EXPECT_EQ(UnpackText(packed.text, text.size()), text) << piece;
    EXPECT_EQ(packed.text.size() % 4, 0u);
    EXPECT_GE(packed.text.find('='), packed.text.size() - 2) << "padding is at the end alone";
  }
}

TEST(EventParts, PackedTextIsCheckedAndBounded) {
  const std::string text = Noise(70'001);
  EXPECT_EQ(UnpackText(PackText(text), 70'001), text);
  EXPECT_FALSE(UnpackText(PackText(text), 70'000));
  std::string packed = PackText(text);
  EXPECT_FALSE(UnpackText(packed.substr(0, packed.size() / 2), 1 << 20));
  packed[packed.size() / 2] ^= 1;
  EXPECT_FALSE(UnpackText(packed, 1 << 20));
  EXPECT_FALSE(UnpackText("no Base64 !", 1 << 20));
  EXPECT_FALSE(UnpackText("", 1 << 20));
}

}  // namespace
}  // namespace memprof
