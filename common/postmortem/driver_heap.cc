#include "postmortem/driver_heap.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "advice/collected_results.h"
#include "facts/result_code.h"
#include "postmortem/action_titles.h"
#include "report/call_site.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/views/text_page.h"

namespace memprof {
namespace {

// Spark counts what a task sends besides rows, too: figures of its own and its profile. Of these actions that is all.
bool BringsNoRows(const ReportAction& action) {
  constexpr std::string_view kBringNone[] = {
      "append",  "checkpoint", "count", "create", "createOrReplace", "csv",     "foreach", "foreachBatch", "foreachPartition", "insertInto",
      "isEmpty", "jdbc",       "json",  "orc",    "overwrite",       "parquet", "replace", "save",         "saveAsTable",      "text",
      "toTable"};
  const std::string_view function = ParseCallSite(action.call_site).function;
  return action.query_id && std::find(std::begin(kBringNone), std::end(kBringNone), function) != std::end(kBringNone);
}

bool IsForBroadcast(const ReportAction& action) {
  return action.broadcast_bytes > action.result_bytes || (action.broadcast_bytes != 0 && BringsNoRows(action));
}

std::string RowsPhrase(uint64_t bytes, uint64_t rows) {
  if (rows < 2) return rows == 0 ? "" : " (1 row, serialised)";
  return fmt::format(" ({} rows of {} each, serialised)", FormatCount(rows), FormatBytes(bytes / rows));
}

// Of the stages whose results fill the heap. What has arrived of stages without a row is complete.
CollectedResults CollectedBy(const ReportAction& action) {
  CollectedResults all, listed;
  all.broadcast = listed.broadcast = IsForBroadcast(action);
  all.bytes = all.broadcast ? action.broadcast_bytes : action.result_bytes;
  all.tasks = action.result_tasks;
  for (const ReportStageResults& stage : action.results) {
    if (stage.broadcast != all.broadcast) continue;
    listed.tasks += stage.tasks;
    listed.bytes += stage.result_bytes;
    listed.partitions = listed.partitions.value_or(0) + std::max(stage.partitions.value_or(0), stage.tasks);
  }
  return AreMissing(listed) ? listed : all;
}

// An RDD's results are objects where the program is of the JVM; Python's are bytes there, too.
bool IsOfJvmsObjects(const ReportAction& action) {
  const std::string_view file = ParseCallSite(action.call_site).file;
  return !action.query_id && (file.ends_with(".scala") || file.ends_with(".java") || file == "<console>");  // spark-shell's
}

// Rows of a query are packed; an RDD's are not.
bool BringsPackedRows(const ReportAction& action) { return action.query_id && (IsForBroadcast(action) || !BringsNoRows(action)); }

bool AnyHandlesResults(const std::vector<ReportFrame>& frames) {
  return std::any_of(frames.begin(), frames.end(), [](const ReportFrame& frame) { return HandlesResults(frame.function); });
}

constexpr size_t kStagesShown = 3;

// "; results by stage: stage 3 45.7 MiB of 8 tasks (6.1 MiB the largest), stage 1 2.0 MiB of 1 task, to broadcast"
std::string ResultsPhrase(const ReportAction& action) {
  std::string phrase;
  for (size_t i = 0; i < std::min(kStagesShown, action.results.size()); ++i) {
    const ReportStageResults& stage = action.results[i];
    phrase += fmt::format("{}stage {} {} of {}", phrase.empty() ? "; results by stage: " : ", ", stage.stage_id,
                          FormatBytes(stage.result_bytes), Counted(stage.tasks, "task"));
    if (stage.tasks > 1) phrase += fmt::format(" ({} the largest)", FormatBytes(stage.largest_result_bytes));
    if (stage.broadcast) phrase += ", to broadcast";
  }
  if (action.results.size() > kStagesShown) phrase += fmt::format(", {} more stages", action.results.size() - kStagesShown);
  return phrase;
}

}  // namespace

std::string BroughtPhrase(const ReportAction& action) {
  const std::string site = CallSiteTitle(action);
  if (IsForBroadcast(action)) {
    return fmt::format("{} had brought {} to broadcast{}", site, FormatBytes(action.broadcast_bytes),
                       RowsPhrase(action.broadcast_bytes, action.broadcast_rows.value_or(0)));
  }
  const CollectedResults collected = CollectedBy(action);
  const std::string of = AreMissing(collected)
                             ? fmt::format("{} of {}", FormatCount(collected.tasks), Counted(*collected.partitions, "task"))
                             : Counted(action.result_tasks, "task");
  return fmt::format("{} had brought {} in {}{}", site, FormatBytes(action.result_bytes), of,
                     RowsPhrase(action.result_bytes, action.result_rows.value_or(0)));
}

ReportAdvice AdviseAgainst(const ReportAction& action, const SparkSettings* settings) {
  CollectedResults collected = CollectedBy(action);
  collected.settings = settings;
  collected.place = ActionPlace(action);
  return AdviseAgainstCollecting(collected);
}

uint64_t ExpectedResults(const ReportAction& action) { return ExpectedBytes(CollectedBy(action)); }

bool MayFill(uint64_t heap_bytes, const ReportAction& action, bool has_shown_results) {
  constexpr uint64_t kMostPacked = 255, kCommonlyPacked = 16, kMostOfObject = 16, kDefaultHeap = uint64_t{1} << 30;
  const uint64_t heap = heap_bytes == 0 ? kDefaultHeap : heap_bytes;
  const uint64_t results = ExpectedResults(action);
  const uint64_t packed = has_shown_results ? kMostPacked : kCommonlyPacked;
  const uint64_t most = BringsPackedRows(action) ? packed : IsOfJvmsObjects(action) ? kMostOfObject : 1;
  return results != 0 && results >= heap / 10 / most;
}

bool ShowsResults(const ReportPostMortem& death, const ReportRetained* retained, uint64_t heap_bytes) {
  if (AnyHandlesResults(death.stack)) return true;
  if (retained == nullptr || heap_bytes == 0) return false;
  uint64_t of_results = 0;
  for (const ReportRetainedSite& site : retained->sites) {
    if (AnyHandlesResults(site.frames)) of_results += site.retained_bytes;
  }
  return of_results >= heap_bytes / 10;
}

bool HeldOtherThings(const ReportPostMortem& death, const ReportRetained* retained) {
  constexpr uint64_t kNextToNothing = 20;  // one part in this many
  constexpr size_t kMostFrames = 128;      // of a stack that the agent captures
  if (retained == nullptr || !death.heap || AnyHandlesResults(death.stack)) return false;
  uint64_t known = 0, of_results = 0;
  for (const ReportRetainedSite& site : retained->sites) {
    if (site.frames.size() >= kMostFrames) continue;  // its outermost frames are not known
    known += site.retained_bytes;
    if (AnyHandlesResults(site.frames)) of_results += site.retained_bytes;
  }
  const uint64_t used = HeapUsed(*death.heap).value_or(retained->heap_used_after_bytes);
  return used != 0 && known >= used / 10 * 9 && of_results < known / kNextToNothing;
}

std::string BesidePhrase(const ReportAction& action) {
  return fmt::format("; {} ran then, but {} of results don't fill a heap", CallSiteTitle(action), FormatBytes(ExpectedResults(action)));
}

std::string OthersPhrase(const ReportAction& action) {
  return fmt::format("; {} ran then, but what the heap held was not made for results", CallSiteTitle(action));
}

void PutAction(const ReportAction& action, const SparkSettings& settings, ReportPostMortem& death) {
  death.action = action.call_site;
  if (!action.jobs.empty()) death.job_id = action.jobs.back();
  death.how += ResultsPhrase(action) + PlanPhrase(action);
  const auto first = death.advice.insert(death.advice.begin(), AdviseAgainst(action, &settings));
  if (!action.call_site.starts_with("toPandas at ")) return;
  CollectedResults collected = CollectedBy(action);
  collected.settings = &settings;
  if (const std::optional<ReportAdvice> arrow = AdviseArrowResults(collected)) death.advice.insert(first + 1, *arrow);
}

}  // namespace memprof
