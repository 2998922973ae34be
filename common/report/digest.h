// What every view shows first, in which order and in which words, below the verdict (verdict.h). Pointers refer to the report given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/model.h"

namespace memprof {

struct GroupDigest {
  std::vector<const ReportLine*> lines;     // by UDF: the heaviest UDF first, its lines together, heaviest first
  std::vector<const ReportSite*> heap;      // JVM heap, by bytes allocated
  std::vector<const ReportSite*> off_heap;  // Unsafe and native memory of the JVM
};

// One group by what its sites are, each list in the report's order (the heaviest first).
GroupDigest DigestOf(const ReportSiteGroup& group);

// How a line came to its memory: for each of its sites, heaviest first, the frames between the line and the allocation
// in short ("ones › array_empty › … › default_malloc"). Frames of the import system and of ctypes are left out. Equal paths are listed
// once. Sites that hold less than a tenth of the line are left out, except the heaviest site. A site without such frames gives an
// empty path.
struct AllocationPath {
  std::string text, place;  // place: of the last frame, if it is native
  bool native = false;      // it ends in native code
  const ReportSite* site = nullptr;
};
std::vector<AllocationPath> PathsOf(const ReportLine& line, const ReportSiteGroup& group);

// "job.py:8"; "native threads" without a file.
std::string LinePlace(const std::string& file, uint32_t line);

// "5.0 MiB of it live when a task ended"; "" where a task left less than a tenth of what the line held at its peak.
std::string LeftBehindPhrase(const ReportLine& line);

// "+ 1.0 MiB a task (95 %: 0.9 MiB to 1.1 MiB) over 12 tasks of pid 4711 on executor 1, which holds 12.0 MiB".
std::string LeakPhrase(const ReportLeak& leak);
// "; 3 workers hold 36.0 MiB by now", or "" where there is one.
std::string LeakWorkersPhrase(const ReportLeak& leak);

// How many of one UDF's lines [begin, end) get a row: at most `most`. After the first three, a line gets none if it holds less than a
// hundredth of the heaviest of `lines`.
size_t LinesWorthShowing(const std::vector<const ReportLine*>& lines, size_t begin, size_t end, size_t most);

// The driver's own Python process has a row among the stages, with a number that no stage of Spark's has.
inline constexpr int32_t kDriversPython = -1;
// In a report's notAvailable where it has none.
inline constexpr const char* kDriversLines = "lines of the driver's Python process";

// The stage's title: the UDFs of its heaviest lines, "aggregate, join (job.py:41)", else Spark's name for it; may be empty.
std::string StageTitle(const ReportStage& stage);

// Counters that say what reached a bound, and those that are bytes of threads outside any task, of the heap, off-heap, of native
// libraries and in Python workers (their name follows the colon).
struct CounterGroups {
  std::vector<std::pair<std::string, uint64_t>> bounds, outside_tasks, outside_tasks_off_heap, outside_tasks_native, outside_tasks_python;
};
CounterGroups GroupsOf(const std::vector<std::pair<std::string, uint64_t>>& counters);

// Stages that have any site, the one that held most at a peak first; stages that have only other attempts come last.
std::vector<const ReportStage*> StagesByWeight(const Report& report);

// Executors by how close they came to their limit, closest first.
std::vector<const ReportExecutor*> ExecutorsByUse(const Report& report);

// The total of an origin in a group, or nullptr.
const ReportOriginSum* TotalOf(const ReportSiteGroup& group, Origin origin);
const ReportOriginSum* RemainderOf(const ReportSiteGroup& group, Origin origin);

// "2 failed, 1 superseded"; "3 attempts" where it isn't known how they ended.
std::string OtherAttemptsPhrase(const ReportOtherAttempts& other);

// "spark.executor.memoryOverhead 384m → 2300m: …", or what else to change.
std::string AdvicePhrase(const ReportAdvice& advice);

// The user's innermost Python line of a stack (outermost frame first), else the innermost one; nullptr without Python frames.
const ReportFrame* LeadLineOf(const std::vector<ReportFrame>& frames);

// The frame that a site is known by: LeadLineOf a Python site, where it has one, else LeadFrame (titles.h); nullptr without frames.
const ReportFrame* LeadOf(const ReportSite& site);

// What PySpark's worker does by itself, for no UDF: its imports, its serializers. A line is, if all of its sites with a row are.
bool IsPySparks(const ReportSite& site);
bool IsPySparks(const ReportLine& line, const ReportSiteGroup& group);

// "aggregate (job.py:41)", "PySpark", "outside any UDF".
std::string UdfHeading(const std::optional<ReportUdf>& udf, bool is_pysparks = false);

// "± 3.1 MiB", "exact", "± unknown".
std::string ErrorPhrase(const std::optional<uint64_t>& error_bytes);

}  // namespace memprof
