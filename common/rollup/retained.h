// What heaps retain, as rows of the report. For an executor it is the last message that it sent (proto::RetainedHeap). For a
// stage's JVM heap site it is the part of its tasks' objects that the executors' heaps still held, summed over the executors, each
// at its own last marking.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "facts/facts.h"
#include "proto/memprof.pb.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// With the `most` largest sites; the others are summed up.
std::optional<ReportRetained> RetainedRow(const ExecutorFacts& facts, size_t most);
ReportRetained RetainedRow(const proto::RetainedHeap& message, size_t most);

// What the report prints as an error: two standard deviations.
uint64_t TwoDeviations(double variance);

ReportFrame FrameOf(const proto::TaskProfile& names, const proto::Frame& frame);
// The frames of a message's stack (index + 1; 0 = none), outermost call first.
std::vector<ReportFrame> FramesOf(const proto::TaskProfile& names, uint32_t stack);

class RetainedSites {
 public:
  explicit RetainedSites(const StoreState& state);
  // The part of it that concerns these stages.
  RetainedSites(const StoreState& state, const std::vector<StageKey>& keys);

  // Filled where a heap of the stage's tasks was marked as a whole after the stage began. If a site is in no such message, either none
  // of its sampled objects was retained, or the message had no room for it; it stays "not known".
  void PutInto(ReportStage& stage) const;

 private:
  void Add(const StoreState& state, const std::set<StageKey>* keys);

  std::map<StageKey, std::unordered_map<uint64_t, uint64_t>> bytes_;  // by HashOf() the site's frames: names are long and many
};

}  // namespace memprof
