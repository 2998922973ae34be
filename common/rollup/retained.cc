#include "rollup/retained.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "proto/memprof.pb.h"

namespace memprof {
namespace {

Language LanguageOf(const proto::Frame& frame) {
  return proto::Language_IsValid(frame.language()) ? static_cast<Language>(frame.language()) : Language::kUnknown;
}

}  // namespace

uint64_t TwoDeviations(double variance) { return static_cast<uint64_t>(std::llround(std::min(2 * std::sqrt(variance), 1e18))); }

ReportFrame FrameOf(const proto::TaskProfile& names, const proto::Frame& frame) {
  const auto text = [&](uint32_t index) { return index == 0 ? std::string() : names.strings(static_cast<int>(index)); };
  ReportFrame row;
  row.language = LanguageOf(frame);
  row.function = text(frame.function());
  row.file = text(frame.file());
  row.module = text(frame.module());
  row.line = frame.line();
  return row;
}

std::vector<ReportFrame> FramesOf(const proto::TaskProfile& names, uint32_t stack) {
  std::vector<ReportFrame> frames;
  for (; stack != 0; stack = names.stacks(static_cast<int>(stack) - 1).parent()) {
    frames.push_back(FrameOf(names, names.frames(static_cast<int>(names.stacks(static_cast<int>(stack) - 1).frame()))));
  }
  std::reverse(frames.begin(), frames.end());
  return frames;
}

namespace {

uint64_t HashOf(uint64_t seed, Language language, std::string_view function, std::string_view file, std::string_view module,
                uint32_t line) {
  for (const std::string_view text : {function, file, module}) seed = HashBytes(text.data(), text.size(), seed + text.size());
  const uint64_t rest = uint64_t{line} << 8 | static_cast<uint64_t>(language);
  return HashBytes(&rest, sizeof rest, seed);
}

// Innermost first, both.
uint64_t HashOf(const proto::TaskProfile& names, uint32_t stack) {
  uint64_t hash = 0;
  for (; stack != 0; stack = names.stacks(static_cast<int>(stack) - 1).parent()) {
    const proto::Frame& frame = names.frames(static_cast<int>(names.stacks(static_cast<int>(stack) - 1).frame()));
    const auto text = [&](uint32_t index) { return index == 0 ? std::string_view() : names.strings(static_cast<int>(index)); };
    hash = HashOf(hash, LanguageOf(frame), text(frame.function()), text(frame.file()), text(frame.module()), frame.line());
  }
  return hash;
}

uint64_t HashOf(const std::vector<ReportFrame>& frames) {
  uint64_t hash = 0;
  for (size_t i = frames.size(); i-- > 0;) {
    const ReportFrame& frame = frames[i];
    hash = HashOf(hash, frame.language, frame.function, frame.file, frame.module, frame.line);
  }
  return hash;
}

bool Parse(const ExecutorFacts& facts, proto::RetainedHeap& message) {
  return !facts.retained.empty() && message.ParseFromArray(facts.retained.data(), static_cast<int>(facts.retained.size()));
}

}  // namespace

std::optional<ReportRetained> RetainedRow(const ExecutorFacts& facts, size_t most) {
  proto::RetainedHeap message;
  if (!Parse(facts, message)) return std::nullopt;
  return RetainedRow(message, most);
}

ReportRetained RetainedRow(const proto::RetainedHeap& message, size_t most) {
  ReportRetained row;
  row.time_ms = message.time_ms();
  row.collection = message.collection();
  row.heap_used_after_bytes = message.heap_used_after_bytes();
  if (message.has_heap_max_bytes()) row.heap_max_bytes = message.heap_max_bytes();
  row.total_bytes = message.total_bytes();
  row.error_bytes = TwoDeviations(message.variance());
  row.other_sites = message.other_sites();
  row.other_bytes = message.other_bytes();
  for (const proto::RetainedSite& site : message.sites()) {
    if (row.sites.size() >= most) {  // the largest come first
      ++row.other_sites;
      row.other_bytes += site.bytes();
      continue;
    }
    ReportRetainedSite& out = row.sites.emplace_back();
    out.retained_bytes = site.bytes();
    out.objects = site.objects();
    out.error_bytes = TwoDeviations(site.variance());
    if (site.stage_id() >= 0) {
      out.stage_id = site.stage_id();
      out.stage_attempt = site.stage_attempt();
    } else if (site.thread() != 0) {
      out.thread = message.names().strings(static_cast<int>(site.thread()));
    }
    out.frames = FramesOf(message.names(), site.stack());
  }
  return row;
}

RetainedSites::RetainedSites(const StoreState& state) { Add(state, nullptr); }

RetainedSites::RetainedSites(const StoreState& state, const std::vector<StageKey>& keys) {
  const std::set<StageKey> wanted(keys.begin(), keys.end());
  Add(state, &wanted);
}

void RetainedSites::Add(const StoreState& state, const std::set<StageKey>* keys) {
  for (const auto& [id, facts] : state.executors) {
    proto::RetainedHeap message;
    if (!Parse(facts, message)) continue;
    for (const proto::RetainedSite& site : message.sites()) {
      const StageKey key{site.stage_id(), site.stage_attempt()};
      if (site.stage_id() < 0 || (keys != nullptr && !keys->contains(key))) continue;
      bytes_[key][HashOf(message.names(), site.stack())] += site.bytes();
    }
  }
}

void RetainedSites::PutInto(ReportStage& stage) const {
  const auto of_stage = bytes_.find({stage.stage_id, stage.attempt});
  if (of_stage == bytes_.end()) return;
  for (ReportSite& site : stage.sites) {
    if (site.origin != Origin::kJvmHeap) continue;
    const auto found = of_stage->second.find(HashOf(site.frames));
    if (found != of_stage->second.end()) site.retained_bytes = found->second;
  }
}

}  // namespace memprof
