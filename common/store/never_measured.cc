#include "store/never_measured.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/installed_code.h"
#include "report/digest.h"

namespace memprof {
namespace {

// A user's job may be installed as a wheel.
void AddInstalledUdfs(const Report& report, std::set<ReportNotAvailable>& not_available) {
  constexpr size_t kMostPackages = 5;
  std::set<std::string_view> packages;
  bool others = false;
  for (const ReportStage& stage : report.stages) {
    for (const ReportUdfShare& share : stage.udfs) {
      const std::string_view inside = share.udf ? InPackages(share.udf->file) : std::string_view();
      if (inside.empty() || inside.starts_with("pyspark/")) continue;
      const std::string_view package = inside.substr(0, inside.find('/'));
      if (packages.size() == kMostPackages && !packages.contains(package)) {
        others = true;
        continue;
      }
      packages.insert(package);
    }
  }
  for (const std::string_view package : packages) {
    not_available.insert({"source and leaks of lines of " + std::string(package),
                          "it is an installed package, whose code is not taken for the user's own: what its functions call is charged to "
                          "the line of the UDF; if it is your job, ship it with --py-files as a zip, or install it with pip install "
                          "--editable"});
  }
  if (others) not_available.insert({"source and leaks of lines of further packages", "as of those that are named here"});
}

}  // namespace

void AddNeverMeasured(const Report& report, bool dropped_retained, std::set<ReportNotAvailable>& not_available) {
  auto any_site = [&](Origin origin) {
    return std::any_of(report.stages.begin(), report.stages.end(), [&](const ReportStage& stage) {
      return std::any_of(stage.sites.begin(), stage.sites.end(), [&](const ReportSite& site) { return site.origin == origin; });
    });
  };
  const auto has_python = [](const ReportExecutor& row) {
    const auto is_drivers = [](const ReportProcess& process) { return process.kind == "python-driver"; };
    return std::any_of(row.processes.begin(), row.processes.end(), is_drivers);
  };
  if (report.application.master != "program" && std::any_of(report.executors.begin(), report.executors.end(), has_python)) {
    not_available.insert(
        {kDriversLines,
         "sparkmemprof submit in client mode, run, and an import in a program that starts its JVM itself put them here when "
         "it has ended, unless a setting forbids it (docs/configuration.md, Driver)"});
  }
  AddInstalledUdfs(report, not_available);
  if (any_site(Origin::kJvmHeap)) {
    not_available.insert(
        {"liveAtPeakBytes of jvm-heap sites", "what is live in a heap is only known after a collection; retainedBytes say it then"});
  }
  const bool any_retained = std::any_of(report.executors.begin(), report.executors.end(), [](const auto& row) { return row.retained; });
  if (any_site(Origin::kJvmHeap) && !any_retained && !dropped_retained) {
    not_available.insert({"retainedBytes of jvm-heap sites",
                          "no executor's collector has marked its whole heap, so nothing is known to be alive; a full collection does"});
  }
  if (any_site(Origin::kJvmOffHeap) || any_site(Origin::kJvmNative)) {
    not_available.insert({"residentAtPeakBytes of sites of the JVM", "pages are looked up in Python processes only"});
    not_available.insert({"jvm-offheap sites of mapped files and of downcalls",
                          "what FileChannel.map maps is in the row mapped files of the JVM; what a Linker's downcall allocates is in its "
                          "row malloc: Netty's buffers on JDK 24 and later, where native access is enabled and Unsafe is not"});
  }
  auto any_region = [&](std::string_view name) {
    const bool where_granted = name == "offHeap";  // where it is switched off, there is nothing to know
    return std::any_of(report.executors.begin(), report.executors.end(), [&](const ReportExecutor& executor) {
      return std::any_of(executor.regions.begin(), executor.regions.end(), [&](const ReportRegion& region) {
        return region.name == name && !region.peak_bytes && (!where_granted || region.budget_bytes.value_or(0) != 0);
      });
    });
  };
  for (const auto& [region, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"heap.reserved", "Spark's reserve is not accounted for by anybody"},
           {"heap.user", "what is neither storage nor execution is known only together with what waits for a collection"},
           {"offHeap", "no look at Spark's off-heap memory arrived; its blocks are among those of directPeakBytes"},
           {"pyspark", "no budget of its own was granted, or no moment of the executor was measured; Python is part of the overhead"},
           {"overhead", "no moment of the executor was measured, or Python has a budget of its own"}}) {
    if (any_region(region)) not_available.insert({std::string("peakBytes of region ") + region, why});
  }
  if (any_site(Origin::kJvmNative)) {
    not_available.insert({"jvm-native sites of memory that libraries map themselves",
                          "malloc of JNI libraries is sampled; an allocator that is built into one, such as jemalloc, only maps memory"});
  }
  if (std::any_of(report.counters.begin(), report.counters.end(), [](const auto& counter) { return counter.first == "droppedBlocks"; })) {
    not_available.insert({"cachedData of some blocks", "only so many blocks are kept account of; droppedBlocks counts updates of others"});
  }
  if (!report.broadcasts.empty()) {
    not_available.insert({"deserialised size and place of origin of broadcast variables",
                          "Spark tells the driver of their serialised pieces only, among them those of its own: tasks of each stage"});
  }
  if (std::any_of(report.counters.begin(), report.counters.end(), [](const auto& counter) { return counter.first == "droppedTaskRows"; })) {
    not_available.insert({"rows of light tasks, and distributions over the tasks of their stages",
                          "the store keeps within spark.memprof.store.limit; sums and largest figures have them"});
  }
  if (report.other_stages) {
    not_available.insert({"rows of all stages", "a report shows the heaviest; the others are summed up in otherStages"});
  }
  if (report.other_executors) {
    not_available.insert({"rows of all executors", "a report shows those that used most; the others are counted in otherExecutors"});
  }
  const bool any_thinned = std::any_of(report.executors.begin(), report.executors.end(),
                                       [](const auto& executor) { return executor.time_line && executor.time_line->thinned != 0; });
  if (any_thinned) {
    not_available.insert({"all samples of executors' time lines",
                          "they are thinned to a bound, the fewer the more executors there are: of samples near one another the one of "
                          "the largest use is kept"});
  }
  bool any_peak = std::any_of(report.executors.begin(), report.executors.end(), [](const auto& executor) { return executor.at_peak; });
  if (any_peak) not_available.insert({"executors.atPeak.sites", "sites are measured at the peak of their task, not of their executor"});
}

}  // namespace memprof
