#include "facts/named_stacks.h"

#include <algorithm>

namespace memprof {
namespace {

struct Named {
  InternedFrame frame;
  bool awaits = false;
  std::vector<InternedFrame> outer;  // what it was inlined into, outermost first
};

Named NameFrame(const InternedFrame& original, const SymbolTable& symbols) {
  Named named{original, false, {}};
  InternedFrame& frame = named.frame;
  frame.in_framework = false;
  frame.first_line = 0;
  if (frame.language != Language::kNative) return named;
  if (frame.function == 0) {
    const SymbolName* symbol = symbols.Find(original);
    if (symbol == nullptr || symbol->function == 0) {
      named.awaits = symbol == nullptr;
      return named;
    }
    frame.function = symbol->function;
    frame.file = symbol->file;
    frame.line = symbol->line;
    for (const SymbolName* outer = symbols.Outer(*symbol); outer != nullptr; outer = symbols.Outer(*outer)) {
      InternedFrame call;
      call.language = Language::kNative;
      call.function = outer->function;
      call.file = outer->file;
      call.line = outer->line;
      call.module = original.module;
      named.outer.push_back(call);
    }
    std::reverse(named.outer.begin(), named.outer.end());
  }
  frame.offset = 0;
  frame.build_id = 0;
  return named;
}

}  // namespace

NamedStacks::NamedStacks(const Interner& interner, const SymbolTable& symbols) : interner_(interner), shown_(&memory_) {
  shown_.Reserve(interner.frame_count(), interner.stack_count());
  shown_frame_.resize(interner.frame_count());
  for (uint32_t index = 0; index < interner.frame_count(); ++index) {
    Named named = NameFrame(interner.FrameAt(index), symbols);
    shown_frame_[index] = shown_.Frame(named.frame);
    for (const InternedFrame& outer : named.outer) shown_outer_[index].push_back(shown_.Frame(outer));
    frame_awaits_.resize(shown_.frame_count());
    if (named.awaits) frame_awaits_[shown_frame_[index]] = true;
  }
  // A parent is always interned before its children: one pass in order of ids does.
  whole_.resize(interner.stack_count());
  user_.resize(interner.stack_count());
  std::vector<bool> reached_user(interner.stack_count());  // a frame that is neither the framework's nor native
  for (StackId id = 1; id <= interner.stack_count(); ++id) {
    const InternedStack& stack = interner.StackAt(id);
    uint32_t frame = shown_frame_[stack.frame];
    StackId whole_parent = stack.parent == 0 ? 0 : whole_[stack.parent - 1];
    StackId user_parent = stack.parent == 0 ? 0 : user_[stack.parent - 1];
    const InternedFrame& original = interner.FrameAt(stack.frame);
    const bool within_user = stack.parent != 0 && reached_user[stack.parent - 1];
    reached_user[id - 1] = within_user || (!original.in_framework && original.language != Language::kNative);
    // A native frame between two frames of the framework doesn't begin the user's part.
    const bool users = within_user || !original.in_framework;
    if (const auto outer = shown_outer_.find(stack.frame); outer != shown_outer_.end()) {
      for (const uint32_t call : outer->second) {
        whole_parent = shown_.Stack(whole_parent, call);
        if (users) user_parent = shown_.Stack(user_parent, call);
      }
    }
    whole_[id - 1] = shown_.Stack(whole_parent, frame);
    if (users) user_[id - 1] = shown_.Stack(user_parent, frame);
  }
  awaits_.resize(shown_.stack_count());
  for (StackId id = 1; id <= shown_.stack_count(); ++id) {
    const InternedStack& stack = shown_.StackAt(id);
    awaits_[id - 1] = frame_awaits_[stack.frame] || (stack.parent != 0 && awaits_[stack.parent - 1]);
  }
}

StackId NamedStacks::ShownStack(const SiteKey& site) const {
  if (site.stack == 0) return 0;
  bool keeps_framework = site.origin == Origin::kPython && site.udf == 0;
  StackId user = user_[site.stack - 1];
  return keeps_framework || user == 0 ? whole_[site.stack - 1] : user;
}

std::vector<uint32_t> NamedStacks::FrameIndexes(StackId shown) const {
  std::vector<uint32_t> indexes;
  for (StackId at = shown; at != 0; at = shown_.StackAt(at).parent) indexes.push_back(shown_.StackAt(at).frame);
  std::reverse(indexes.begin(), indexes.end());
  return indexes;
}

std::vector<ReportFrame> NamedStacks::Frames(StackId shown) const {
  std::vector<ReportFrame> frames;
  for (uint32_t index : FrameIndexes(shown)) {
    const InternedFrame& from = shown_.FrameAt(index);
    ReportFrame& frame = frames.emplace_back();
    frame.language = from.language;
    frame.function = interner_.StringAt(from.function);
    frame.file = interner_.ShownAt(from.file);
    frame.module = interner_.StringAt(from.module);
    frame.line = from.line;
    if (from.language == Language::kNative && from.function == 0) {
      frame.build_id = interner_.StringAt(from.build_id);
      frame.offset = from.offset;
    }
  }
  return frames;
}

}  // namespace memprof
