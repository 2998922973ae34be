// What heaps retain, as rows of the report: of an executor the message it sent last (proto::RetainedHeap), and of a stage's JVM
// heap site what its tasks made and the executors' heaps still held, each as of its own last marking, summed over the executors.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "facts/records.h"
#include "proto/memprof.pb.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// With the `most` largest sites; the others are summed up.
std::optional<ReportRetained> RetainedRow(const ExecutorRecord& record, size_t most);
ReportRetained RetainedRow(const proto::RetainedHeap& message, size_t most);

// Of a message's stack (index + 1; 0 = none), outermost call first.
std::vector<ReportFrame> FramesOf(const proto::TaskProfile& names, uint32_t stack);

class RetainedSites {
 public:
  explicit RetainedSites(const StoreState& state);
  // What of it concerns these stages.
  RetainedSites(const StoreState& state, const std::vector<StageKey>& keys);

  // Where a heap of the stage's tasks was marked as a whole after the stage began. A site that no such message names retained
  // nothing that was sampled, or is among the sites that found no room in it: it is left as not known.
  void PutInto(ReportStage& stage) const;

 private:
  void Add(const StoreState& state, const std::set<StageKey>* keys);

  std::map<StageKey, std::unordered_map<uint64_t, uint64_t>> bytes_;  // by HashOf() the site's frames: names are long and many
};

}  // namespace memprof
