// Cached data that made execution spill: a stage spilled while an executor's memory was full, and one dataset held a large part of the
// storage that execution could not evict there.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "advice/findings.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr double kFull = 0.8;         // of the memory in use: from here on it is full
constexpr double kLargeShare = 0.25;  // of storage held by one dataset: from here on it is the cause
constexpr double kWorthIt = 0.1;      // of the memory: the least that execution would gain
constexpr double kDefaultFraction = 0.5;
constexpr double kNotable = 0.25;  // of what a task spilled: with so much less to gain it would have spilled as well
constexpr const char* kSetting = "spark.memory.storageFraction";

double Share(uint64_t part, uint64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

std::string TasksPhrase(uint64_t tasks) { return tasks == 1 ? "1 task" : FormatCount(tasks) + " tasks"; }

double FractionNow(const SparkSettings* settings) {
  if (settings == nullptr) return kDefaultFraction;
  const auto found = settings->find(kSetting);
  double fraction = kDefaultFraction;
  if (found == settings->end()) return fraction;
  const std::string& text = found->second;
  return std::from_chars(text.data(), text.data() + text.size(), fraction).ec == std::errc() ? fraction : kDefaultFraction;
}

// The mode in which the stage's tasks took execution memory.
const ReportPoolMoment* PoolOf(const ReportStageMemory& memory) {
  const ReportPoolMoment* pool = nullptr;
  for (const ReportPoolMoment& moment : memory.fullest) {
    if (pool == nullptr || moment.execution_bytes > pool->execution_bytes) pool = &moment;
  }
  return pool;
}

}  // namespace

std::optional<ReportFinding> FindCachedDataThatSpills(const ReportStage& stage, const CachedByMode& cached, const SparkSettings* settings) {
  const uint64_t spilled = stage.memory.spilled_memory_bytes.value_or(0);
  const ReportPoolMoment* pool = PoolOf(stage.memory);
  if (spilled == 0 || pool == nullptr || !pool->storage_region_bytes || pool->max_bytes == 0) return std::nullopt;
  const CachedDataset& dataset = cached[pool->off_heap ? 1 : 0];
  const double share = std::min(1.0, Share(dataset.bytes, dataset.of_bytes));
  const uint64_t unevictable = std::min(pool->storage_bytes, *pool->storage_region_bytes);
  const auto back = static_cast<uint64_t>(share * static_cast<double>(unevictable));
  const uint64_t of_a_task = spilled / std::max<uint64_t>(1, stage.memory.tasks_spilled);  // on the average
  if (Share(pool->storage_bytes + pool->execution_bytes, pool->max_bytes) < kFull || share < kLargeShare ||
      Share(back, pool->max_bytes) < kWorthIt || Share(back, of_a_task) < kNotable) {
    return std::nullopt;
  }
  const std::string name = NameOf(dataset);
  ReportFinding finding;
  finding.stage_id = stage.stage_id;
  finding.attempt = stage.attempt;
  finding.headline = fmt::format(
      "Cached data {} holds {}, {} of storage, and has pushed execution into spilling in stage {}: {} spilled {}{}. Of {} of {} memory, "
      "storage held {} that execution could not evict, and execution had {}.",
      name, FormatBytes(dataset.bytes), FormatPercent(share, 1), stage.stage_id, TasksPhrase(stage.memory.tasks_spilled),
      FormatBytes(spilled), stage.memory.tasks_spilled > 1 ? fmt::format(", {} a task on the average", FormatBytes(of_a_task)) : "",
      FormatBytes(pool->max_bytes), pool->off_heap ? "off-heap" : "on-heap", FormatBytes(unevictable), FormatBytes(pool->execution_bytes));
  finding.advice.push_back(
      {"", "", "",
       fmt::format("without {} in memory (unpersist it before, or persist it with DISK_ONLY) execution has up to {} more in an "
                   "executor that holds its share of it: {} instead of {}{}",
                   name, FormatBytes(back), FormatBytes(pool->execution_bytes + back), FormatBytes(pool->execution_bytes),
                   back < of_a_task ? fmt::format("; a task that spilled {} would still spill, but less", FormatBytes(of_a_task)) : "")});
  const uint64_t wanted = pool->execution_bytes + of_a_task;
  const double now = FractionNow(settings);
  constexpr double kRounding = 1e-9;  // 1 - 0.9 is a little less than a tenth
  const double to = std::max(0.0, std::floor(10 * (1 - Share(wanted, pool->max_bytes)) + kRounding) / 10);
  if (to < now && to < Share(unevictable, pool->max_bytes)) {
    const auto room = static_cast<uint64_t>((1 - to) * static_cast<double>(pool->max_bytes));
    finding.advice.push_back(
        {kSetting, fmt::format("{:g}", now), fmt::format("{:g}", to),
         fmt::format("execution may then evict blocks until it has {}; it had {}, and a task spilled {} on the average. Evicted "
                     "blocks are read from disk or computed again",
                     FormatBytes(room), FormatBytes(pool->execution_bytes), FormatBytes(of_a_task))});
  }
  return finding;
}

}  // namespace memprof
