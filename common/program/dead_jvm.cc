#include "program/dead_jvm.h"

#include <fmt/format.h>

#include <algorithm>

#include "facts/loss_reason.h"
#include "proto/memprof.pb.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

// The first envelope that reports the end: other threads that ran out of memory meanwhile did not cause it. Without an end, the
// newest error. A heap that was only nearly full is none.
std::optional<proto::Envelope> LastWord(const std::vector<std::string>& words) {
  std::optional<proto::Envelope> newest;
  for (const std::string& word : words) {
    proto::Envelope envelope;
    if (!envelope.ParseFromString(word) || !envelope.has_heap_shortage() || envelope.heap_shortage().nearly_full()) continue;
    if (envelope.heap_shortage().ends_jvm()) return envelope;
    if (!newest || newest->heap_shortage().time_ms() < envelope.heap_shortage().time_ms()) newest = std::move(envelope);
  }
  return newest;
}

}  // namespace

// Uses the store's rules for an executor whose words arrived: the store gets nothing else.
std::optional<ReportPostMortem> DeathByWords(const std::vector<std::string>& words) {
  const std::optional<proto::Envelope> last = LastWord(words);
  if (!last) return std::nullopt;
  const proto::HeapShortage& error = last->heap_shortage();
  ProfileStore store;
  store.ExecutorAdded({.id = last->executor_id(), .time_ms = error.time_ms()});
  for (const std::string& word : words) static_cast<void>(store.Ingest(word));  // a refused message adds nothing
  const std::string reason = error.ends_jvm() ? fmt::format("Command exited with code {}", kExitHotSpotOom) : "";
  store.ExecutorRemoved(last->executor_id(), reason, error.time_ms());
  Report report = store.Model(false);
  const auto death = std::find_if(report.post_mortems.begin(), report.post_mortems.end(), [&](const ReportPostMortem& each) {
    return each.executor_id == last->executor_id() && each.process == "jvm" && each.heap;
  });
  if (death == report.post_mortems.end()) return std::nullopt;
  death->pid = error.jvm_pid();
  death->reason.clear();  // there are no words of Spark's
  if (!error.ends_jvm()) death->how = fmt::format("its last word was an OutOfMemoryError: {}; how it ended is not known", error.error());
  return *std::move(death);
}

}  // namespace memprof
