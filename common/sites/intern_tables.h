// InternTables: every string, frame, module and stack of a box once, append-only (blackbox/layout.h says how a reader sees them).
// The hash indexes live in private memory; an existing string, frame or stack costs one look-up.
//
// References are index + 1; 0 means none or no room, and the caller counts the latter. The tables can be emptied as a whole
// (Reset), which begins a new intern epoch. Not thread-safe: the recorder's lock covers them. Callable from hooks.
#pragma once

#include <cstdint>

#include "base/origin.h"
#include "blackbox/box_file.h"
#include "sites/arena.h"
#include "sites/hash_index.h"
#include "sites/recorder.h"

namespace memprof {

class InternTables {
 public:
  // Takes the indexes' memory from the arena; with a measuring arena only the arena's sum is valid.
  void Attach(const box::BoxFile& file, Arena& arena);
  static void Measure(const box::Plan& plan, Arena& arena);

  // Texts over box::kMaxStringBytes are cut. 0 is the empty string, and no room: has_room tells.
  uint32_t String(StringRef text, bool* has_room);
  uint32_t PythonFrame(StringRef function, StringRef file, uint32_t line, uint32_t first_line);
  uint32_t NativeFrame(uint32_t module, uint64_t offset);
  uint32_t Module(StringRef path, StringRef build_id_hex);

  // The trie's node for a stack of frame references, outermost first; references of 0 are left out. 0: no room or no frame.
  // A tenth of the nodes is kept for the stacks of large blocks.
  uint32_t Stack(const uint32_t* frames, uint32_t depth, bool large);

  // Not NUL-terminated.
  const char* ModulePath(uint32_t module, uint32_t* size) const { return StringAt(modules_[module - 1].path, size); }

  uint32_t epoch() const { return epoch_; }
  // True when a table is over 3/4 full: time for a Reset() at the next good moment.
  bool NearlyFull() const;
  void Reset();

 private:
  uint32_t Frame(box::Frame frame);
  uint32_t Child(uint32_t parent, uint32_t frame, uint32_t room);
  const char* StringAt(uint32_t reference, uint32_t* size) const;
  void Publish(uint32_t box::Committed::*field, uint32_t value);

  const box::BoxFile* file_ = nullptr;
  box::Frame* frames_ = nullptr;
  box::Node* nodes_ = nullptr;
  box::Module* modules_ = nullptr;
  char* strings_ = nullptr;
  uint32_t epoch_ = 0;
  uint32_t frame_count_ = 0, node_count_ = 0, module_count_ = 0, string_bytes_ = 0, string_count_ = 0;
  uint32_t frame_room_ = 0, node_room_ = 0, module_room_ = 0, string_room_ = 0, string_count_room_ = 0;
  HashIndex string_index_, frame_index_, node_index_, module_index_;
};

}  // namespace memprof
