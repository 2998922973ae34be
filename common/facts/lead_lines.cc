#include "facts/lead_lines.h"

#include <algorithm>
#include <string_view>

#include "base/installed_code.h"

namespace memprof {
namespace {

// How well a frame tells whose memory it is. Of equal ranks, Better() takes the inner or the outer frame.
enum Rank : uint8_t { kNotPython, kMachinery, kFramework, kLibrary, kGenerated, kUser };

Rank RankOf(const InternedFrame& frame, std::string_view file) {
  if (frame.language != Language::kPython) return kNotPython;
  if (file.starts_with("<frozen ")) return kMachinery;
  if (frame.in_framework) return kFramework;
  if (IsInstalledCode(file)) return kLibrary;
  return IsGeneratedCode(file) ? kGenerated : kUser;
}

// `inner` is a callee of `known`.
bool Better(Rank inner, Rank known) { return inner > known || (inner == known && inner != kLibrary); }

}  // namespace

uint32_t LeadFrameOf(StackId stack, const Interner& interner) {
  uint32_t generated = 0;
  // From the inside out, the first of the user's frames is the innermost.
  for (; stack != 0; stack = interner.StackAt(stack).parent) {
    const uint32_t frame = interner.StackAt(stack).frame;
    const Rank rank = RankOf(interner.FrameAt(frame), interner.StringAt(interner.FrameAt(frame).file));
    if (rank == kUser) return frame + 1;
    if (rank == kGenerated && generated == 0) generated = frame + 1;
  }
  return generated;
}

LeadLines::LeadLines(const Interner& interner) : lead_(interner.stack_count()), users_(interner.stack_count()) {
  std::vector<Rank> frame_ranks(interner.frame_count());
  for (uint32_t index = 0; index < interner.frame_count(); ++index) {
    const InternedFrame& frame = interner.FrameAt(index);
    frame_ranks[index] = RankOf(frame, interner.StringAt(frame.file));
  }
  std::vector<Rank> ranks(interner.stack_count());
  for (StackId id = 1; id <= interner.stack_count(); ++id) {  // a parent is always interned before its children
    const InternedStack& stack = interner.StackAt(id);
    uint32_t lead = stack.parent == 0 ? 0 : lead_[stack.parent - 1];
    Rank known = stack.parent == 0 ? kNotPython : ranks[stack.parent - 1];
    Rank rank = frame_ranks[stack.frame];
    bool takes = rank != kNotPython && Better(rank, known);
    lead_[id - 1] = takes ? stack.frame + 1 : lead;
    ranks[id - 1] = takes ? rank : known;
    users_[id - 1] = ranks[id - 1] >= kGenerated;
  }
}

}  // namespace memprof
