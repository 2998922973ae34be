#include "report/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "base/counter_names.h"
#include "base/installed_code.h"
#include "base/pysparks_own.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/verdict.h"

namespace memprof {
namespace {

// The lines are sorted by weight. All lines of a UDF are moved to the place of its heaviest line.
std::vector<const ReportLine*> ByUdf(const std::vector<ReportLine>& lines) {
  std::vector<const ReportLine*> order;
  for (const ReportLine& first : lines) {
    if (std::any_of(order.begin(), order.end(), [&](const ReportLine* line) { return line->udf == first.udf; })) continue;
    for (const ReportLine& line : lines) {
      if (line.udf == first.udf) order.push_back(&line);
    }
  }
  return order;
}

// Frames that say nothing about the user's code: the way from Python into a library by ctypes, and the import system.
bool IsPlumbing(const ReportFrame& frame) {
  if (std::string_view(frame.file).starts_with("<frozen ")) return true;
  static constexpr std::array<std::string_view, 4> kModules = {"libffi", "_ctypes", "libpython", "python3"};
  std::string_view module = BaseName(frame.module);
  return frame.language == Language::kNative &&
         std::any_of(kModules.begin(), kModules.end(), [&](std::string_view name) { return module.starts_with(name); });
}

// The first two, "…", the last: what was called, and what allocated.
std::string Shortened(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    bool left_out = names.size() > 4 && i >= 2 && i + 1 < names.size();
    if (left_out && i > 2) continue;
    text += (text.empty() ? "" : " › ") + (left_out ? "…" : names[i]);
  }
  return text;
}

// The body of a module has no name of its own: its place says more.
std::string StepTitle(const ReportFrame& frame) { return frame.function == "<module>" ? FramePlace(frame) : FrameTitle(frame); }

auto WeightOf(const ReportStage& stage) {
  uint64_t live = 0, allocated = 0;
  for (const ReportOriginSum& total : stage.totals) {
    live += total.live_at_peak_bytes.value_or(0);
    allocated += total.allocated_bytes;
  }
  return std::tuple(live, allocated);
}

const ReportOriginSum* Find(const std::vector<ReportOriginSum>& sums, Origin origin) {
  auto found = std::find_if(sums.begin(), sums.end(), [&](const ReportOriginSum& sum) { return sum.origin == origin; });
  return found == sums.end() ? nullptr : &*found;
}

}  // namespace

GroupDigest DigestOf(const ReportSiteGroup& group) {
  GroupDigest digest;
  digest.lines = ByUdf(group.lines);
  for (const ReportSite& site : group.sites) {
    if (site.origin == Origin::kPython) continue;
    (site.origin == Origin::kJvmHeap ? digest.heap : digest.off_heap).push_back(&site);
  }
  return digest;
}

std::vector<AllocationPath> PathsOf(const ReportLine& line, const ReportSiteGroup& group) {
  std::vector<AllocationPath> paths;
  for (uint32_t index : line.sites) {
    const ReportSite& site = group.sites[index];
    if (!paths.empty() && site.live_at_peak_bytes.value_or(0) < line.live_at_peak_bytes.value_or(0) / 10) break;
    auto is_line = [&](const ReportFrame& frame) {
      return frame.language == Language::kPython && frame.line == line.line && frame.file == line.file && frame.function == line.function;
    };
    auto below = std::find_if(site.frames.rbegin(), site.frames.rend(), is_line).base();
    std::vector<std::string> names;
    for (auto frame = below; frame != site.frames.end(); ++frame) {
      if (!IsPlumbing(*frame)) names.push_back(StepTitle(*frame));
    }
    bool native = below != site.frames.end() && site.frames.back().language == Language::kNative;
    AllocationPath path{Shortened(names), native ? FramePlace(site.frames.back()) : "", native, &site};
    auto same = [&](const AllocationPath& known) { return known.text == path.text; };
    if (std::none_of(paths.begin(), paths.end(), same)) paths.push_back(std::move(path));
  }
  return paths;
}

std::string LinePlace(const std::string& file, uint32_t line) {
  return file.empty() ? "native threads" : FramePlace({Language::kPython, "", file, "", line, "", std::nullopt});
}

std::string LeftBehindPhrase(const ReportLine& line) {
  const uint64_t left = line.live_at_end_bytes.value_or(0);
  if (left == 0 || left < line.live_at_peak_bytes.value_or(0) / 10) return "";
  return FormatBytes(left) + " of it live when a task ended";
}

std::string LeakPhrase(const ReportLeak& leak) {
  const ReportLeakWorker& worker = leak.largest;
  return fmt::format("+ {} a task (95 %: {} to {}) over {} tasks of pid {} {}, which holds {}", FormatBytes(worker.per_task_bytes),
                     FormatBytes(worker.per_task_low_bytes), FormatBytes(worker.per_task_high_bytes), FormatCount(worker.tasks), worker.pid,
                     worker.executor_id == "driver" ? "below the driver" : "on executor " + worker.executor_id,
                     FormatBytes(worker.live_bytes));
}

std::string LeakWorkersPhrase(const ReportLeak& leak) {
  if (leak.workers < 2) return "";
  return fmt::format("; {} workers hold {} by now", FormatCount(leak.workers), FormatBytes(leak.live_bytes));
}

size_t LinesWorthShowing(const std::vector<const ReportLine*>& lines, size_t begin, size_t end, size_t most) {
  constexpr size_t kAlways = 3;
  uint64_t live = 0, allocated = 0;
  for (const ReportLine* line : lines) {
    live = std::max(live, line->live_at_peak_bytes.value_or(0));
    allocated = std::max(allocated, line->allocated_bytes);
  }
  size_t shown = 0;
  for (size_t i = begin; i < end && shown < most; ++i, ++shown) {
    const ReportLine& line = *lines[i];
    bool matters = line.live_at_peak_bytes.value_or(0) >= live / 100 || line.allocated_bytes >= allocated / 20;
    if (!matters && shown >= kAlways) break;
  }
  return shown;
}

std::string StageTitle(const ReportStage& stage) {
  constexpr size_t kNamed = 3;
  std::vector<std::string> titles;
  for (const ReportSiteGroup* group :
       {static_cast<const ReportSiteGroup*>(&stage), static_cast<const ReportSiteGroup*>(&stage.other_attempts)}) {
    for (const ReportLine& line : group->lines) {
      std::string title = line.udf ? UdfTitle(*line.udf) : "";
      if (!title.empty() && std::find(titles.begin(), titles.end(), title) == titles.end()) titles.push_back(title);
    }
  }
  if (titles.empty()) return stage.name;
  std::string text;
  for (size_t i = 0; i < std::min(titles.size(), kNamed); ++i) text += (text.empty() ? "" : ", ") + titles[i];
  return titles.size() > kNamed ? text + ", …" : text;
}

CounterGroups GroupsOf(const std::vector<std::pair<std::string, uint64_t>>& counters) {
  CounterGroups groups;
  for (const auto& [name, value] : counters) {
    if (value == 0) continue;
    size_t colon = name.find(": ");
    if (colon == std::string::npos) {
      groups.bounds.emplace_back(name, value);
    } else {
      auto& group = name.starts_with(kNoTaskOffHeapBytes)  ? groups.outside_tasks_off_heap
                    : name.starts_with(kNoTaskNativeBytes) ? groups.outside_tasks_native
                    : name.starts_with(kNoTaskPythonBytes) ? groups.outside_tasks_python
                                                           : groups.outside_tasks;
      group.emplace_back(name.substr(colon + 2), value);
    }
  }
  for (auto* group : {&groups.outside_tasks, &groups.outside_tasks_off_heap, &groups.outside_tasks_native, &groups.outside_tasks_python}) {
    std::stable_sort(group->begin(), group->end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  }
  return groups;
}

std::vector<const ReportStage*> StagesByWeight(const Report& report) {
  std::vector<const ReportStage*> stages;
  for (const ReportStage& stage : report.stages) {
    if (!stage.totals.empty() || !stage.other_attempts.totals.empty() || stage.other_attempts.tasks != 0) stages.push_back(&stage);
  }
  std::stable_sort(stages.begin(), stages.end(), [](const auto* a, const auto* b) { return WeightOf(*a) > WeightOf(*b); });
  return stages;
}

std::vector<const ReportExecutor*> ExecutorsByUse(const Report& report) {
  std::vector<const ReportExecutor*> executors;
  for (const ReportExecutor& executor : report.executors) executors.push_back(&executor);
  std::stable_sort(executors.begin(), executors.end(), [](const auto* a, const auto* b) { return UseOf(*a) > UseOf(*b); });
  return executors;
}

const ReportOriginSum* TotalOf(const ReportSiteGroup& group, Origin origin) { return Find(group.totals, origin); }
const ReportOriginSum* RemainderOf(const ReportSiteGroup& group, Origin origin) { return Find(group.remainders, origin); }

std::string OtherAttemptsPhrase(const ReportOtherAttempts& other) {
  std::string phrase;
  auto add = [&](uint64_t count, const char* what) {
    if (count != 0) phrase += fmt::format("{}{} {}", phrase.empty() ? "" : ", ", FormatCount(count), what);
  };
  add(other.failed, "failed");
  add(other.killed, "killed");
  add(other.lost, "lost");
  add(other.superseded, "superseded");
  add(other.unknown, "without a reported end");
  if (phrase.empty() && other.tasks != 0) return FormatCount(other.tasks) + (other.tasks == 1 ? " attempt" : " attempts");
  return phrase;
}

std::string AdvicePhrase(const ReportAdvice& advice) {
  if (advice.conf.empty()) return advice.because;
  if (advice.to.empty()) return advice.conf + ": " + advice.because;
  return fmt::format("{} {} → {}: {}", advice.conf, advice.from.empty() ? "not set" : advice.from, advice.to, advice.because);
}

const ReportFrame* LeadOf(const ReportSite& site) {
  const ReportFrame* line = site.origin == Origin::kPython ? LeadLineOf(site.frames) : nullptr;
  return line == nullptr ? LeadFrame(site.frames) : line;
}

const ReportFrame* LeadLineOf(const std::vector<ReportFrame>& frames) {
  const ReportFrame *innermost = nullptr, *generated = nullptr;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (frame->language != Language::kPython) continue;
    if (innermost == nullptr) innermost = &*frame;
    if (IsInstalledCode(frame->file)) continue;
    if (!IsGeneratedCode(frame->file)) return &*frame;
    if (generated == nullptr) generated = &*frame;
  }
  return generated != nullptr ? generated : innermost;
}

namespace {

// As it is shown (profile/names): PySpark's own code and ours, wherever Spark is installed.
bool IsPysparksFile(std::string_view file) {
  return file.starts_with("sparkmemprof/") || file.starts_with("<frozen ") || IsInSparksPyspark(file) ||
         InPackages(file).starts_with("pyspark/");
}

}  // namespace

bool IsPySparks(const ReportSite& site) {
  if (site.origin != Origin::kPython || site.udf) return false;
  PysparksOwn own;
  bool in_worker = false;
  for (const ReportFrame& frame : site.frames) {
    if (frame.language != Language::kPython) continue;
    in_worker = in_worker || frame.file.ends_with("/pyspark/worker.py") || frame.file.ends_with("/pyspark/daemon.py");
    own.Add(frame.file, frame.function, IsPysparksFile(frame.file));
  }
  return in_worker && own.is();
}

bool IsPySparks(const ReportLine& line, const ReportSiteGroup& group) {
  return !line.sites.empty() &&
         std::all_of(line.sites.begin(), line.sites.end(), [&](uint32_t site) { return IsPySparks(group.sites[site]); });
}

std::string UdfHeading(const std::optional<ReportUdf>& udf, bool is_pysparks) {
  if (udf) return UdfTitle(*udf);
  return is_pysparks ? "PySpark" : "outside any UDF";
}

std::string ErrorPhrase(const std::optional<uint64_t>& error_bytes) {
  if (!error_bytes) return "± unknown";
  return *error_bytes == 0 ? "exact" : "± " + FormatBytes(*error_bytes);
}

}  // namespace memprof
