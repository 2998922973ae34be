// Memory of an executor beside its heap that no running task holds (proto::LeftMemory), as rows of the report. `origin` is
// Origin::kJvmOffHeap, or kJvmNative for what JNI libraries have from malloc.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "facts/facts.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// When it was most, with the `most` heaviest sites; nothing: no message came, or there never was any.
std::optional<ReportLeftMemory> LeftRow(const ExecutorFacts& facts, Origin origin, size_t most, const StoreState& state);

struct LeftThen {
  int64_t time_ms = 0;
  std::vector<ReportSite> sites;  // heaviest first; further ones are one row without frames
};

// What the executor's last message said of it, as rows of a post-mortem. No sites: no message came, it is older than `since_ms` (of the
// driver's clock), or it has more than `most_bytes`, which all blocks together held later: then some were freed since.
LeftThen LeftSites(const ExecutorFacts& facts, Origin origin, int64_t since_ms, uint64_t most_bytes, const StoreState& state);
// Likewise, when it was most, unless that was before `since_ms`.
LeftThen LeftSitesAtPeak(const ExecutorFacts& facts, Origin origin, int64_t since_ms, const StoreState& state);

// A native frame, as the messages have it.
struct LeftFrame {
  std::string module, build_id;
  uint64_t offset = 0;
  auto operator<=>(const LeftFrame&) const = default;
};

// Those that came without a name, each once. Reads all messages.
std::set<LeftFrame> UnnamedLeftFrames(const StoreState& state);
// Interns those whose names came by themselves, so that the names are kept with them; their indexes.
std::vector<uint32_t> InternNamed(const std::set<LeftFrame>& frames, StoreState& state);

}  // namespace memprof
