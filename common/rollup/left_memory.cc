#include "rollup/left_memory.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "facts/left_bytes.h"
#include "proto/memprof.pb.h"
#include "rollup/retained.h"

namespace memprof {
namespace {

const LeftMessages& MessagesOf(const ExecutorFacts& facts, Origin origin) {
  return origin == Origin::kJvmNative ? facts.left_native : facts.left_off_heap;
}

bool Parse(const std::pmr::string& bytes, proto::LeftMemory& message) {
  return !bytes.empty() && message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// nullopt: there are none, or they are older than since_ms of the driver's clock.
std::optional<proto::LeftMemory> BlocksSince(int64_t since_ms, const std::pmr::string& bytes, const ExecutorFacts& facts) {
  proto::LeftMemory message;
  if (!Parse(bytes, message) || facts.clock.ToDriver(message.time_ms()) < since_ms) return std::nullopt;
  return message;
}

std::string TextAt(const proto::TaskProfile& names, uint32_t index) { return index == 0 ? "" : names.strings(static_cast<int>(index)); }

std::string ThreadOf(const proto::LeftMemory& message, const proto::LeftSite& site) { return TextAt(message.names(), site.thread()); }

LeftFrame FrameIn(const proto::TaskProfile& names, const proto::Frame& frame) {
  return {TextAt(names, frame.module()), TextAt(names, frame.build_id()), frame.offset()};
}

// As the store knows it, where all of its strings are known there.
std::optional<InternedFrame> Interned(const LeftFrame& frame, const Interner& interner) {
  const std::optional<StringId> module = interner.Find(frame.module);
  const std::optional<StringId> build_id = interner.Find(frame.build_id);
  if (!build_id || (!module && *build_id == 0)) return std::nullopt;
  InternedFrame interned;
  interned.language = Language::kNative;
  interned.module = module.value_or(0);
  interned.build_id = *build_id;
  interned.offset = frame.offset;
  return interned;
}

bool AwaitsName(const proto::Frame& frame) { return frame.language() == proto::NATIVE && frame.function() == 0; }

ReportFrame Shown(const SymbolName& name, const std::string& module, const Interner& interner) {
  ReportFrame row;
  row.language = Language::kNative;
  row.function = interner.StringAt(name.function);
  row.file = interner.ShownAt(name.file);
  row.line = name.line;
  row.module = module;
  return row;
}

// Outermost call first, with the names that came for native frames.
std::vector<ReportFrame> NamedFrames(const proto::TaskProfile& names, uint32_t stack, const StoreState& state) {
  std::vector<ReportFrame> frames;
  for (; stack != 0; stack = names.stacks(static_cast<int>(stack) - 1).parent()) {
    const proto::Frame& frame = names.frames(static_cast<int>(names.stacks(static_cast<int>(stack) - 1).frame()));
    ReportFrame row = FrameOf(names, frame);
    const SymbolName* name = nullptr;
    if (AwaitsName(frame)) {
      const std::optional<InternedFrame> interned = Interned(FrameIn(names, frame), *state.interner);
      if (interned) name = state.symbols.Find(*interned);
    }
    if (name == nullptr || name->function == 0) {
      if (AwaitsName(frame)) {
        row.build_id = TextAt(names, frame.build_id());
        row.offset = frame.offset();
      }
      frames.push_back(std::move(row));
      continue;
    }
    for (const SymbolName* at = name; at != nullptr; at = state.symbols.Outer(*at)) {
      frames.push_back(Shown(*at, row.module, *state.interner));
    }
  }
  std::reverse(frames.begin(), frames.end());
  return frames;
}

LeftThen SitesOf(const proto::LeftMemory& message, Origin origin, const StoreState& state) {
  std::vector<ReportSite> rows;
  for (const proto::LeftSite& site : message.sites()) {
    ReportSite& row = rows.emplace_back();
    row.origin = origin;
    row.tasks = site.tasks();
    row.allocated_bytes = site.bytes();
    row.allocations = site.blocks();
    row.live_at_peak_bytes = site.bytes();
    row.sampled = site.variance() > 0;
    row.error_bytes = TwoDeviations(site.variance());
    row.frames = NamedFrames(message.names(), site.stack(), state);
    if (site.stage_id() >= 0) row.stage_id = site.stage_id();
    row.thread = ThreadOf(message, site);
  }
  if (message.other_bytes() > 0) {
    ReportSite& others = rows.emplace_back();
    others.origin = origin;
    others.allocated_bytes = message.other_bytes();
    others.live_at_peak_bytes = message.other_bytes();
    others.sampled = true;  // some of it may be sampled
  }
  return {message.time_ms(), std::move(rows)};
}

}  // namespace

std::optional<ReportLeftMemory> LeftRow(const ExecutorFacts& facts, Origin origin, size_t most, const StoreState& state) {
  proto::LeftMemory message;
  if (!Parse(MessagesOf(facts, origin).peak, message) || LeftBytes(message) == 0) return std::nullopt;
  ReportLeftMemory row;
  row.time_ms = message.time_ms();
  row.total_bytes = LeftBytes(message);
  row.other_bytes = message.other_bytes();
  for (const proto::LeftSite& site : message.sites()) {
    if (row.sites.size() >= most) {  // the heaviest come first
      row.other_bytes += site.bytes();
      continue;
    }
    ReportLeftSite& out = row.sites.emplace_back();
    out.origin = origin;
    out.bytes = site.bytes();
    out.blocks = site.blocks();
    out.error_bytes = TwoDeviations(site.variance());
    if (site.stage_id() >= 0) out.stage_id = site.stage_id();
    out.thread = ThreadOf(message, site);
    out.frames = NamedFrames(message.names(), site.stack(), state);
  }
  return row;
}

LeftThen LeftSites(const ExecutorFacts& facts, Origin origin, int64_t since_ms, uint64_t most_bytes, const StoreState& state) {
  const std::optional<proto::LeftMemory> blocks = BlocksSince(since_ms, MessagesOf(facts, origin).latest, facts);
  if (!blocks || LeftBytes(*blocks) / 9 * 8 > most_bytes) return {};  // samples of small blocks scatter
  return SitesOf(*blocks, origin, state);
}

LeftThen LeftSitesAtPeak(const ExecutorFacts& facts, Origin origin, int64_t since_ms, const StoreState& state) {
  const std::optional<proto::LeftMemory> blocks = BlocksSince(since_ms, MessagesOf(facts, origin).peak, facts);
  return blocks ? SitesOf(*blocks, origin, state) : LeftThen();
}

std::set<LeftFrame> UnnamedLeftFrames(const StoreState& state) {
  std::set<LeftFrame> frames;
  for (const auto& [id, facts] : state.executors) {
    for (const std::pmr::string* bytes : {&facts.left_native.latest, &facts.left_native.peak}) {
      proto::LeftMemory message;
      if (!Parse(*bytes, message)) continue;
      for (const proto::Frame& frame : message.names().frames()) {
        if (AwaitsName(frame)) frames.insert(FrameIn(message.names(), frame));
      }
    }
  }
  return frames;
}

std::vector<uint32_t> InternNamed(const std::set<LeftFrame>& frames, StoreState& state) {
  std::vector<uint32_t> indexes;
  for (const LeftFrame& frame : frames) {
    const std::optional<InternedFrame> interned = Interned(frame, *state.interner);
    if (interned && state.symbols.Find(*interned) != nullptr) indexes.push_back(state.interner->Frame(*interned));
  }
  return indexes;
}

}  // namespace memprof
