#include "facts/interner.h"

namespace memprof {
namespace {

// Multiply-and-fold, one step a field; the last step spreads low entropy (line numbers) over the whole word.
uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

template <typename Index, typename List, typename Value>
uint32_t Intern(Index& index, List& list, const Value& value, uint32_t base) {
  auto [entry, added] = index.try_emplace(value, static_cast<uint32_t>(list.size()) + base);
  if (added) list.push_back(value);
  return entry->second;
}

}  // namespace

size_t Interner::FrameHash::operator()(const InternedFrame& frame) const {
  uint64_t hash = Mix(frame.offset, (uint64_t{frame.function} << 32) | frame.file);
  hash = Mix(hash, (uint64_t{frame.module} << 32) | frame.build_id);
  hash = Mix(hash, (uint64_t{frame.line} << 32) | frame.first_line);
  return Mix(hash, (static_cast<uint64_t>(frame.language) << 1) | frame.in_framework);
}

size_t Interner::StackHash::operator()(const InternedStack& stack) const {
  return Mix(0, (uint64_t{stack.parent} << 32) | stack.frame);  // not parent ^ frame: both are small numbers and would collide often
}

size_t Interner::UdfHash::operator()(const InternedUdf& udf) const {
  return Mix(Mix((uint64_t{udf.name} << 32) | udf.kind, udf.file), udf.line);
}

Interner::Interner(std::pmr::memory_resource* memory)
    : strings_(memory),
      string_index_(memory),
      shown_as_(memory),
      frames_(memory),
      frame_index_(memory),
      stacks_(memory),
      stack_index_(memory),
      udfs_(memory),
      udf_index_(memory) {
  String("");
}

StringId Interner::String(std::string_view text) {
  auto found = string_index_.find(text);
  if (found != string_index_.end()) return found->second;
  auto id = static_cast<StringId>(strings_.size());
  strings_.emplace_back(text);
  string_index_.emplace(strings_.back(), id);
  return id;
}

std::optional<StringId> Interner::Find(std::string_view text) const {
  const auto found = string_index_.find(text);
  return found == string_index_.end() ? std::nullopt : std::optional(found->second);
}

void Interner::ShowAs(StringId id, std::string_view text) {
  if (shown_as_.size() < kMostShownAs || shown_as_.contains(id)) shown_as_[id] = String(text);
}

std::string_view Interner::ShownAt(StringId id) const {
  const auto shown = shown_as_.find(id);
  return StringAt(shown == shown_as_.end() ? id : shown->second);
}

std::string_view Interner::ShownAs(std::string_view text) const {
  const auto found = string_index_.find(text);
  return found == string_index_.end() ? text : ShownAt(found->second);
}

uint32_t Interner::Frame(const InternedFrame& frame) { return Intern(frame_index_, frames_, frame, 0); }

StackId Interner::Stack(StackId parent, uint32_t frame) { return Intern(stack_index_, stacks_, InternedStack{parent, frame}, 1); }

UdfId Interner::Udf(const InternedUdf& udf) { return Intern(udf_index_, udfs_, udf, 1); }

InternerCopy::InternerCopy(const Interner& from, Interner& to)
    : from_(from), to_(to), frames_(from.frame_count()), stacks_(from.stack_count()) {
  // All of them: what they are the names of may come in a later profile.
  for (const auto& [id, shown] : from.shown_as_) to.ShowAs(String(id), from.StringAt(shown));
}

uint32_t InternerCopy::Frame(uint32_t index) {
  if (frames_[index] == 0) {
    InternedFrame frame = from_.FrameAt(index);
    frame.function = String(frame.function);
    frame.file = String(frame.file);
    frame.module = String(frame.module);
    frame.build_id = String(frame.build_id);
    frames_[index] = to_.Frame(frame) + 1;
  }
  return frames_[index] - 1;
}

StackId InternerCopy::Stack(StackId id) {
  // Parents before children, without recursion: a hostile trie may be as deep as its number of nodes.
  std::vector<StackId> path;
  for (StackId at = id; at != 0 && stacks_[at - 1] == 0; at = from_.StackAt(at).parent) path.push_back(at);
  for (auto at = path.rbegin(); at != path.rend(); ++at) {
    const InternedStack& stack = from_.StackAt(*at);
    stacks_[*at - 1] = to_.Stack(stack.parent == 0 ? 0 : stacks_[stack.parent - 1], Frame(stack.frame));
  }
  return id == 0 ? 0 : stacks_[id - 1];
}

UdfId InternerCopy::Udf(UdfId id) {
  if (id == 0) return 0;
  InternedUdf udf = from_.UdfAt(id);
  udf.name = String(udf.name);
  udf.kind = String(udf.kind);
  udf.file = String(udf.file);
  return to_.Udf(udf);
}

}  // namespace memprof
