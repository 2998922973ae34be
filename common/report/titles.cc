#include "report/titles.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/installed_code.h"
#include "report/call_site.h"
#include "report/units.h"

namespace memprof {
namespace {

// "org.apache.spark.sql.Foo.bar" -> "Foo.bar": packages are lower case, the class begins where an upper case letter does.
std::string_view ShortJavaName(std::string_view name) {
  size_t begin = 0;
  while (true) {
    size_t dot = name.find_first_of("./", begin);
    if (dot == std::string_view::npos) break;
    char first = name[begin];
    if (first >= 'A' && first <= 'Z') break;
    begin = dot + 1;
  }
  return name.substr(begin);
}

std::string ModuleTitle(std::string_view path) {
  std::string_view name = BaseName(path);
  size_t tag = name.find(".cpython-");
  return tag != std::string_view::npos && name.ends_with(".so") ? std::string(name.substr(0, tag)) + ".so" : std::string(name);
}

// Frames that only hand memory out; their callers say more.
bool IsAllocationHelper(const ReportFrame& frame) {
  static constexpr std::string_view kPrefixes[] = {"java.",
                                                   "jdk.",
                                                   "sun.",
                                                   "scala.",
                                                   "io.netty.",
                                                   "org.apache.spark.memory.",
                                                   "org.apache.spark.unsafe.",
                                                   "org.apache.spark.sql.catalyst.expressions.codegen.BufferHolder.",
                                                   "org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter.",
                                                   "org.apache.spark.sql.catalyst.expressions.codegen.UnsafeWriter."};
  return frame.language == Language::kJava && std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](std::string_view prefix) {
           return std::string_view(frame.module).starts_with(prefix) || std::string_view(frame.function).starts_with(prefix);
         });
}

std::optional<uint64_t> RegionOf(const ReportHeapShortage& heap, std::string_view name) {
  for (const ReportNamedBytes& row : heap.regions) {
    if (row.name == name && row.bytes != 0) return row.bytes;
  }
  return std::nullopt;
}

bool WasLetGo(const ReportHeapShortage& heap) {
  const std::optional<uint64_t> collected = RegionOf(heap, "heap.usedAfterGc");
  return collected && heap.total_bytes && !heap.cut_short && *heap.total_bytes < *collected / 2;
}

}  // namespace

std::string_view BaseName(std::string_view path) {
  size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view FileTitle(std::string_view path) {
  if (const std::string_view below = InPackages(path); !below.empty()) return below;
  for (std::string_view archive : {".zip/", ".egg/", ".jar/"}) {
    const size_t at = path.find(archive);
    if (at != std::string_view::npos) return path.substr(path.size() - BaseName(path.substr(0, at)).size() - (path.size() - at));
  }
  std::string_view name = BaseName(path);
  if (name != "__init__.py" || name.size() == path.size()) return name;
  std::string_view parent = BaseName(path.substr(0, path.size() - name.size() - 1));
  return path.substr(path.size() - name.size() - 1 - parent.size());
}

std::string TitledPlace(std::string_view file, uint32_t line) {
  if (line == 0) return std::string(file);
  return file.starts_with("notebook cell ") ? fmt::format("{}, line {}", file, line) : fmt::format("{}:{}", file, line);
}

// Without the functions around it, as Spark's plan shows it.
std::string UdfTitle(const ReportUdf& udf) {
  constexpr std::string_view kScope = "<locals>.";
  const size_t scope = udf.name.rfind(kScope);
  const std::string_view name = scope == udf.name.npos ? udf.name : std::string_view(udf.name).substr(scope + kScope.size());
  return udf.file.empty() ? std::string(name) : fmt::format("{} ({})", name, TitledPlace(FileTitle(udf.file), udf.line));
}

std::string FramePlace(const ReportFrame& frame) {
  std::string_view file = FileTitle(frame.file);
  if (!file.empty()) return TitledPlace(file, frame.line);
  return frame.language == Language::kNative ? ModuleTitle(frame.module) : "";
}

std::string FrameTitle(const ReportFrame& frame) {
  if (frame.language == Language::kJava) {
    bool qualified = frame.module.empty() || frame.function.find('.') != std::string::npos;
    std::string full = qualified ? frame.function : frame.module + "." + frame.function;
    return std::string(ShortJavaName(full));
  }
  if (!frame.function.empty()) return frame.function;
  if (frame.offset) return fmt::format("{}+{:#x}", ModuleTitle(frame.module), *frame.offset);
  return "?";
}

const ReportFrame* LeadFrame(const std::vector<ReportFrame>& frames) {
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!IsAllocationHelper(*frame)) return &*frame;
  }
  return frames.empty() ? nullptr : &frames.back();
}

std::string ExecutorTitle(const std::string& id) { return id == "driver" ? "The driver" : "Executor " + id; }

std::string ProcessTitle(const ReportProcess& process) {
  return fmt::format("{} {}", process.name.empty() ? process.kind : process.name, process.pid);
}

std::string WorkerTitle(const ReportPostMortem& death) {
  const std::string what = !death.program.empty() ? "Program " + death.program : death.started_by_task ? "Python process" : "Python worker";
  return fmt::format("{} {} of executor {} ({}task {}, stage {})", what, death.pid.value_or(0), death.executor_id,
                     death.started_by_task ? "started by " : "", death.task_attempt_id.value_or(-1), death.stage_id.value_or(-1));
}

std::string HeldTitle(const ReportPostMortem& death) {
  if (!death.sites_of_attempt) return "Held at the last sample";
  return fmt::format("Allocated by task {}, an attempt of the same stage that had failed before", *death.sites_of_attempt);
}

std::string StackTitle(const ReportPostMortem& death) {
  const bool refused = death.heap || (death.address_space && !death.exit_code);
  return refused ? "Memory was refused in" : "Died in";
}

std::string ActionTitle(const ReportAction& action) {
  const CallSite site = ParseCallSite(action.call_site);
  std::string title = std::string(site.function.empty() ? std::string_view("action") : site.function);
  if (!action.file.empty()) title += " at " + TitledPlace(FileTitle(action.file), action.line);
  return title;
}

std::string BuiltAtPhrase(const ReportAction& action) {
  std::string phrase;
  const std::string* file = nullptr;
  for (const ReportPlace& place : action.built_at) {
    if (file != nullptr && *file == place.file) {
      phrase += fmt::format(", {}", place.line);
    } else {
      phrase += (phrase.empty() ? "" : "; ") + TitledPlace(FileTitle(place.file), place.line);
    }
    file = &place.file;
  }
  return phrase;
}

std::string ActionWhich(const ReportAction& action) {
  if (action.query_id) return fmt::format("query {}", *action.query_id);
  return action.jobs.empty() ? "" : fmt::format("job {}", action.jobs.front());
}

std::string RetainedPhrase(const ReportRetained& retained) {
  return fmt::format("{}{} of {} in use after {}", FormatBytes(retained.total_bytes),
                     retained.error_bytes ? " ± " + FormatBytes(*retained.error_bytes) : "", FormatBytes(retained.heap_used_after_bytes),
                     retained.collection);
}

std::string HeapClassesPhrase(const ReportHeapShortage& heap, size_t most) {
  std::string phrase;
  for (size_t i = 0; i < std::min(most, heap.classes.size()); ++i) {
    const ReportHeapClass& each = heap.classes[i];
    phrase += fmt::format("{}{} {} ({})", i == 0 ? "" : ", ", FormatBytes(each.bytes), each.name, FormatCount(each.objects));
  }
  return phrase;
}

std::optional<uint64_t> HeapUsed(const ReportHeapShortage& heap) {
  return heap.total_bytes && !heap.cut_short && !WasLetGo(heap) ? heap.total_bytes : RegionOf(heap, "heap.usedAfterGc");
}

std::optional<uint64_t> HeapMax(const ReportHeapShortage& heap) { return RegionOf(heap, "heap.max"); }

bool WasHalfEmpty(const ReportHeapShortage& heap) {
  const std::optional<uint64_t> used = HeapUsed(heap), max = HeapMax(heap);
  return used && max && *used < *max / 2;
}

std::string HeapNote(const ReportHeapShortage& heap) {
  if (WasLetGo(heap))
    return fmt::format("{} were in use; most of it had been let go when the heap was walked", FormatBytes(*HeapUsed(heap)));
  // Longer than any array may be: that says nothing of the heap.
  if (!WasHalfEmpty(heap) || heap.classes.empty() || heap.error.starts_with("Requested array size")) return "";
  return fmt::format(
      "only {} of {} were in use then: what filled the heap had been let go, or more was asked for in one piece than there was "
      "room for",
      FormatBytes(*HeapUsed(heap)), FormatBytes(*HeapMax(heap)));
}

std::string MadePhrase(const std::vector<ReportFrame>& frames, std::optional<int32_t> stage_id, const std::string& thread) {
  const ReportFrame* lead = LeadFrame(frames);
  std::string phrase = lead == nullptr ? "no frames" : FrameTitle(*lead) + " " + FramePlace(*lead);
  if (stage_id) phrase += fmt::format(", stage {}", *stage_id);
  if (!thread.empty()) phrase += ", " + thread;
  return phrase;
}

}  // namespace memprof
