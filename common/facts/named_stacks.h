// NamedStacks: the stacks of an interner as a reader sees them: native frames have the names known now, stacks that thereby
// became equal are merged, and the framework's frames before the user's first frame are left out. Made for one report; refers to
// the interner and the symbols, which must not change meanwhile.
#pragma once

#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "facts/facts.h"
#include "facts/interner.h"
#include "facts/symbols.h"
#include "report/model.h"

namespace memprof {

class NamedStacks {
 public:
  NamedStacks(const Interner& interner, const SymbolTable& symbols);

  // The shown stack of a site; equal ids are equal frames. A Python site outside any UDF keeps the framework's frames, and so
  // does a stack without other frames.
  StackId ShownStack(const SiteKey& site) const;

  // The shown frame of an original one, both as index + 1; 0 stays 0.
  uint32_t ShownFrame(uint32_t frame) const { return frame == 0 ? 0 : shown_frame_[frame - 1] + 1; }
  const InternedFrame& FrameAt(uint32_t shown) const { return shown_.FrameAt(shown - 1); }

  std::vector<ReportFrame> Frames(StackId shown) const;  // outermost first
  std::vector<uint32_t> FrameIndexes(StackId shown) const;

  // True while a native frame of it has no name and one may still come.
  bool AwaitsName(StackId shown) const { return shown != 0 && awaits_[shown - 1]; }

 private:
  const Interner& interner_;
  std::pmr::monotonic_buffer_resource memory_;                       // a report's life is short: all goes at once
  Interner shown_;                                                   // frames and stacks only; strings stay in interner_
  std::vector<uint32_t> shown_frame_;                                // by original frame
  std::unordered_map<uint32_t, std::vector<uint32_t>> shown_outer_;  // of original frames, what they were inlined into, outermost first
  std::vector<StackId> whole_;                                       // shown stack with every frame, by original stack - 1
  std::vector<StackId> user_;                                        // without leading framework frames; 0 = there are no others
  std::vector<bool> frame_awaits_;                                   // by shown frame
  std::vector<bool> awaits_;                                         // by shown stack - 1
};

}  // namespace memprof
