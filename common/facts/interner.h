// Interner: every string, frame, stack and UDF of all tasks once. Tasks of one stage share nearly all of them, so that a
// task costs its figures and little else. Ids are dense and stay valid until the interner is replaced (bounds.h).
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/origin.h"

namespace memprof {

using StringId = uint32_t;  // 0 = ""
using StackId = uint32_t;   // 0 = the empty stack
using UdfId = uint32_t;     // 0 = none

struct InternedFrame {
  uint64_t offset = 0;
  StringId function = 0, file = 0, module = 0, build_id = 0;
  uint32_t line = 0, first_line = 0;
  Language language = Language::kUnknown;
  bool in_framework = false;

  bool operator==(const InternedFrame&) const = default;
};

struct InternedStack {
  StackId parent = 0;
  uint32_t frame = 0;  // index for FrameAt

  bool operator==(const InternedStack&) const = default;
};

struct InternedUdf {
  StringId name = 0, kind = 0, file = 0;
  uint32_t line = 0;

  bool operator==(const InternedUdf&) const = default;
};

class Interner {
 public:
  explicit Interner(std::pmr::memory_resource* memory);

  StringId String(std::string_view text);
  std::optional<StringId> Find(std::string_view text) const;  // nothing: it isn't interned
  uint32_t Frame(const InternedFrame& frame);
  StackId Stack(StackId parent, uint32_t frame);
  UdfId Udf(const InternedUdf& udf);

  static constexpr size_t kMostShownAs = 4096;

  std::string_view StringAt(StringId id) const { return strings_[id]; }
  // From now on a view shows this string as `text`, if that is not the kMostShownAs + 1st.
  void ShowAs(StringId id, std::string_view text);
  // The string as a view shows it: to be used for names of files.
  std::string_view ShownAt(StringId id) const;
  std::string_view ShownAs(std::string_view text) const;  // likewise, of a string that may be none of these
  const InternedFrame& FrameAt(uint32_t index) const { return frames_[index]; }
  const InternedStack& StackAt(StackId id) const { return stacks_[id - 1]; }
  const InternedUdf& UdfAt(UdfId id) const { return udfs_[id - 1]; }

  // Reserves room for so many frames and stacks.
  void Reserve(size_t frames, size_t stacks) {
    frames_.reserve(frames);
    frame_index_.reserve(frames);
    stacks_.reserve(stacks);
    stack_index_.reserve(stacks);
  }

  size_t frame_count() const { return frames_.size(); }
  size_t stack_count() const { return stacks_.size(); }

 private:
  friend class InternerCopy;

  struct FrameHash {
    size_t operator()(const InternedFrame& frame) const;
  };
  struct StackHash {
    size_t operator()(const InternedStack& stack) const;
  };
  struct UdfHash {
    size_t operator()(const InternedUdf& udf) const;
  };

  std::pmr::deque<std::pmr::string> strings_;  // a deque: the index points into it
  std::pmr::unordered_map<std::string_view, StringId> string_index_;
  std::pmr::unordered_map<StringId, StringId> shown_as_;
  std::pmr::vector<InternedFrame> frames_;
  std::pmr::unordered_map<InternedFrame, uint32_t, FrameHash> frame_index_;
  std::pmr::vector<InternedStack> stacks_;
  std::pmr::unordered_map<InternedStack, StackId, StackHash> stack_index_;
  std::pmr::vector<InternedUdf> udfs_;
  std::pmr::unordered_map<InternedUdf, UdfId, UdfHash> udf_index_;
};

// Copies what is still referenced from one interner into another; remembers what it copied.
class InternerCopy {
 public:
  InternerCopy(const Interner& from, Interner& to);

  StringId String(StringId id) { return to_.String(from_.StringAt(id)); }
  uint32_t Frame(uint32_t index);
  StackId Stack(StackId id);
  UdfId Udf(UdfId id);

  // Calls `visit` with each frame, in its old form, that a copied stack needed.
  template <typename Visitor>
  void ForEachCopiedFrame(Visitor visit) const {
    for (uint32_t index = 0; index < frames_.size(); ++index) {
      if (frames_[index] != 0) visit(from_.FrameAt(index));
    }
  }

 private:
  const Interner& from_;
  Interner& to_;
  std::vector<uint32_t> frames_;  // new index + 1; 0 = not copied yet
  std::vector<StackId> stacks_;   // likewise
};

}  // namespace memprof
