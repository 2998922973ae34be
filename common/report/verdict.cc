#include "report/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/digest.h"
#include "report/titles.h"
#include "report/units.h"

namespace memprof {
namespace {

// A manager that reserves the overhead, too, enforces what it granted.
bool LivedAboveRequest(const ReportExecutor& executor) {
  const auto reserves = [](const ReportRegion& region) { return region.name == "overhead" && region.budget_bytes.value_or(0) != 0; };
  return !executor.limit_enforced && std::any_of(executor.regions.begin(), executor.regions.end(), reserves);
}

std::string LimitSentence(const ReportExecutor& executor) {
  if (executor.limit_source == "cgroup") {
    return fmt::format("That limit is its cgroup's{}: the kernel kills beyond it.",
                       executor.limit_shared ? ", which it shares with other executors" : "");
  }
  if (executor.limit_source == "host" && executor.host_is_group) {
    return "That limit is its NodeManager's control group's, which has other containers in it, too.";
  }
  if (executor.limit_source == "host") {
    return executor.limit_unseen ? "That limit is the physical memory of the host; a container may have a lower one, which can't be seen "
                                   "from inside it."
                                 : "That limit is the physical memory of the host.";
  }
  if (executor.limit_source != "spark") return "Where that limit comes from is not known.";
  const bool rounded = executor.requested_bytes && executor.limit_bytes > executor.requested_bytes;
  if (executor.limit_enforced && rounded) return "That limit is what the cluster manager grants for what Spark requested.";
  if (executor.limit_enforced) return "That limit is what Spark requested of the cluster manager.";
  if (LivedAboveRequest(executor))
    return "That limit is what Spark requested; the executor lived above it, so its cluster manager has granted more.";
  return executor.limit_unseen ? "That limit is what Spark requested, which nobody enforces here; a container may have one, which can't be "
                                 "seen from inside it."
                               : "That limit is what Spark requested; nobody enforces it here, so nothing is killed for passing it.";
}

ReportVerdict OfDeath(const ReportPostMortem& death) { return {ToneOf(death), death.headline, "How this is known: " + death.how + "."}; }

// The verdict for a program without Spark: its processes are not compared with a limit. If it failed, its only stage has the reason.
ReportVerdict OfProgram(const Report& report) {
  const std::string failure = report.stages.empty() ? "" : report.stages.front().failure_reason;
  if (failure.empty()) {
    return {report.findings.empty() ? Tone::kGood : Tone::kWarn, "The program ended without a failure.",
            "Nobody watched its processes against a limit; what each held at its peak stands below."};
  }
  return {Tone::kWarn, fmt::format("The program did not end well: {}.", failure),
          "Whether that was for want of memory is not known; what each of its processes held at its peak stands below."};
}

// Its use without the heap, as a share of what a heap of full size leaves of the limit; nullopt: not known, or it leaves nothing.
std::optional<double> UseBesideHeap(const ReportExecutor& executor) {
  const std::optional<uint64_t> heap = ResidentHeap(executor);
  const uint64_t limit = executor.limit_bytes.value_or(0), most = executor.heap_max_bytes.value_or(UINT64_MAX);
  if (!heap || !executor.at_peak || limit <= most || executor.limit_shared) return std::nullopt;
  uint64_t at_most = std::min(*heap, most);  // it was measured at another moment, and by ZGC several times
  for (const ReportProcess& process : executor.at_peak->processes) {
    if (process.kind == "jvm") at_most = std::min(at_most, process.peak_rss_bytes);
  }
  for (const ReportNamedBytes& region : executor.at_peak->regions) {
    if (region.name == "heap.committed") at_most = std::min(at_most, region.bytes);
  }
  const uint64_t used = executor.at_peak->used_bytes, of_heap = std::min(at_most, used);
  return static_cast<double>(used - of_heap) / static_cast<double>(limit - most);
}

}  // namespace

const char* ToneWord(Tone tone) {
  static constexpr const char* kWords[] = {"plain", "good", "warn", "bad"};
  return kWords[static_cast<size_t>(tone)];
}

ReportVerdict VerdictOf(const Report& report) {
  const auto& deaths = report.post_mortems;
  auto death = std::find_if(deaths.begin(), deaths.end(), [](const ReportPostMortem& each) { return each.out_of_memory; });
  if (death == deaths.end()) death = deaths.begin();
  if (death != deaths.end()) return OfDeath(*death);
  if (report.executors.empty()) {
    if (report.unfinished) {
      return {Tone::kPlain, "Nothing was measured so far.",
              "Executors show up some seconds after they start, if the application lives so long."};
    }
    return {Tone::kPlain, "No executor was seen.", "The driver's log says why, in a line that begins with sparkmemprof."};
  }
  if (report.application.master == "program") return OfProgram(report);
  const std::string seen =
      report.unfinished ? "No executor and no Python worker has died so far." : "No executor and no Python worker died.";
  const ReportExecutor& fullest = *ExecutorsByUse(report)[0];
  if (UseOf(fullest) < 0) {
    return {Tone::kPlain, seen, "No executor's use was measured against a limit; About the numbers says why."};
  }
  const bool all_have_room = std::all_of(report.executors.begin(), report.executors.end(),
                                         [](const ReportExecutor& executor) { return ToneOf(executor) == Tone::kPlain; });
  return {all_have_room && report.findings.empty() ? Tone::kGood : Tone::kWarn,
          fmt::format("{} {} {} {} of {}, {}.", seen, ExecutorTitle(fullest.id),
                      report.executors.size() > 1 ? "came closest to its limit:" : "used at most", FormatBytes(fullest.at_peak->used_bytes),
                      FormatBytes(*fullest.limit_bytes), FormatPercent(UseOf(fullest), 1)),
          LimitSentence(fullest)};
}

std::string UnmeasuredDriver(const Report& report) {
  const bool just_began = report.executors.empty() && report.unfinished;
  if (just_began || report.application.master == "program") return "";
  if (std::any_of(report.executors.begin(), report.executors.end(), [](const auto& row) { return row.id == "driver"; })) return "";
  return "The driver is not measured, so its own death would not show here: spark.memprof.driver.enabled is false, or its log says why.";
}

double UseOf(const ReportExecutor& executor) {
  if (!executor.at_peak || !executor.limit_bytes || *executor.limit_bytes == 0) return -1;
  return static_cast<double>(executor.at_peak->used_bytes) / static_cast<double>(*executor.limit_bytes);
}

std::optional<uint64_t> ResidentHeap(const ReportExecutor& executor) {
  for (const ReportProcess& process : executor.processes) {
    if (process.kind != "jvm") continue;
    for (const ReportNamedBytes& row : process.rows) {
      if (row.name == "Java heap") return row.bytes;
    }
  }
  return std::nullopt;
}

Tone ToneOf(const ReportExecutor& executor) {
  const double in_all = UseOf(executor), use = std::min(in_all, UseBesideHeap(executor).value_or(1));
  if (executor.limit_enforced && use >= 0.97) return Tone::kBad;
  return use >= 0.85 || in_all >= 0.97 ? Tone::kWarn : Tone::kPlain;
}

Tone ToneOf(const ReportPostMortem& death) { return death.out_of_memory ? Tone::kBad : Tone::kWarn; }

Tone ToneOf(const ReportDistribution& distribution) { return distribution.skew.value_or(0) >= 3 ? Tone::kWarn : Tone::kPlain; }

std::string LimitPhrase(const ReportExecutor& executor) {
  if (executor.limit_source == "cgroup") return executor.limit_shared ? "cgroup limit, shared with other executors" : "cgroup limit";
  const char* unseen = executor.limit_unseen ? "; a container's can't be seen" : "";
  if (executor.limit_source == "host" && executor.host_is_group) return "limit of its NodeManager's control group";
  if (executor.limit_source == "host") return fmt::format("physical memory of the host{}", unseen);
  if (executor.limit_source != "spark") return "";
  if (LivedAboveRequest(executor)) return "requested by Spark, more was granted";
  return executor.limit_enforced ? "requested by Spark" : fmt::format("requested, not enforced{}", unseen);
}

}  // namespace memprof
