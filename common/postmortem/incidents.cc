#include "postmortem/incidents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/digest.h"
#include "report/same_process.h"
#include "report/titles.h"

namespace memprof {
namespace {

constexpr int64_t kShortlyMs = 1000;

template <typename Is>
const InternedIncident* LastOf(const TaskFacts& task, Is is) {
  const InternedIncident* last = nullptr;
  if (!task.profile) return nullptr;
  for (const InternedIncident& incident : task.profile->incidents) {
    if (is(incident) && (last == nullptr || incident.time_ms >= last->time_ms)) last = &incident;
  }
  return last;
}

// Not OutOfMemoryError, which is the JVM's or a GPU library's.
bool NamesMemoryError(std::string_view error) {
  constexpr std::string_view kName = "MemoryError", kOther = "OutOf";
  for (size_t at = error.find(kName); at != error.npos; at = error.find(kName, at + 1)) {
    if (!error.substr(0, at).ends_with(kOther)) return true;
  }
  return false;
}

bool IsLibc(const ReportFrame& frame) {
  static constexpr std::array<std::string_view, 3> kNames = {"libc.so", "libpthread.so", "ld-linux"};
  const std::string_view name = BaseName(frame.module);
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view libc) { return name.starts_with(libc); });
}

}  // namespace

const InternedIncident* FatalSignalOf(const TaskFacts& task, int32_t pid, uint64_t start_ticks) {
  return LastOf(task, [&](const InternedIncident& incident) {
    return incident.signal != 0 && SameProcess(incident.pid, incident.start_ticks, pid, start_ticks);
  });
}

const InternedIncident* RefusalOf(const TaskFacts& task, int32_t pid, uint64_t start_ticks) {
  return LastOf(task, [&](const InternedIncident& incident) {
    return incident.signal == 0 && SameProcess(incident.pid, incident.start_ticks, pid, start_ticks);
  });
}

const InternedIncident* RefusalThatFailed(const TaskFacts& task, std::string_view error) {
  // Python's own, numpy's _ArrayMemoryError, pyarrow's ArrowMemoryError; a program may survive a refusal and fail for another reason.
  if (!task.ended || task.outcome != TaskOutcome::kFailed || !NamesMemoryError(error)) return nullptr;
  return LastOf(task, [](const InternedIncident& incident) { return incident.signal == 0; });
}

bool LedTo(const InternedIncident& refusal, const InternedIncident& signal) {
  return signal.time_ms >= refusal.time_ms && signal.time_ms - refusal.time_ms <= kShortlyMs;
}

ReportAddressSpace AddressSpaceOf(const InternedIncident& refusal) {
  ReportAddressSpace space;
  if (refusal.limit_bytes != 0) space.limit_bytes = refusal.limit_bytes;
  space.virtual_bytes = refusal.virtual_bytes;
  space.resident_bytes = refusal.resident_bytes;
  space.refused_bytes = refusal.asked_bytes;
  return space;
}

bool ByReservationsOnly(const ReportAddressSpace& space) {
  return space.limit_bytes && space.resident_bytes + space.refused_bytes <= *space.limit_bytes;
}

std::string PlacePhrase(const std::vector<ReportFrame>& stack) {
  const ReportFrame *native = nullptr, *line = LeadLineOf(stack);
  for (auto frame = stack.rbegin(); native == nullptr && frame != stack.rend() && frame->language == Language::kNative; ++frame) {
    if (!IsLibc(*frame)) native = &*frame;
  }
  std::string phrase;
  if (native != nullptr) {
    phrase = FrameTitle(*native);
    if (!native->function.empty() && !native->module.empty()) phrase += fmt::format(" ({})", BaseName(native->module));
  }
  if (line != nullptr) phrase += fmt::format("{}{} {}", phrase.empty() ? "" : ", called at ", FramePlace(*line), line->function);
  return phrase;
}

}  // namespace memprof
