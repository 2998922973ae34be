// ModuleTable: which module an address lies in, for code that runs inside malloc.
//
// Identities (path, build id) are kept for ever, in fixed memory, and never move, so that a name found once stays valid. A
// library that is loaded again is recognised by them. Address ranges change with the modules: they are rebuilt in the unused one
// of two sorted arrays and published in one step. Find() takes no lock and allocates nothing.
//
// Rebuilding (BeginRound, Add for each loaded module, Publish) is for one thread at a time; the caller serialises it. Bounds:
// kMaxModules identities, kMaxPathBytes of paths. Modules that don't fit are counted, and their addresses are unknown.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "hooking/loaded_module.h"

namespace memprof {

class ModuleTable {
 public:
  static constexpr size_t kMaxModules = 2048;
  static constexpr size_t kMaxPathBytes = 256 << 10;

  struct Identity {
    const char* path = nullptr;  // as the loader has it; not NUL-terminated
    uint32_t path_size = 0;
    uint32_t build_id_size = 0;
    char build_id[2 * kMaxBuildIdBytes] = {};  // lower-case hex, not NUL-terminated
    std::atomic<uint32_t> tag{0};              // the user's: e.g. the number a recorder gave it
    std::atomic<uint8_t> maps_for_itself{0};   // own_mappings.h: 0 until it is asked
  };

  struct Location {
    Identity* module = nullptr;  // null: no known module there
    uintptr_t offset = 0;        // address - load bias: an address in the file's terms
    uintptr_t end = 0;           // of the module's memory
  };

  void BeginRound() {
    building_ = 0;
    // A reader that sees one of the following writes also sees the last round's generation.
    std::atomic_thread_fence(std::memory_order_release);
  }
  // `known`: its identity, if the caller has it from an earlier round and the module can't have been replaced since.
  void Add(const LoadedModule& module, const Identity* known = nullptr);
  void Publish();

  // HOOK.
  Location Find(uintptr_t address);

  // Sets every identity's tag back to 0. A thread that is just setting one may undo that, so a tag must itself show when it is
  // outdated.
  void ForgetTags();

  size_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  // May be read while it is rewritten; such a read is discarded. Hence atomic words.
  struct Range {
    std::atomic<uintptr_t> begin{0}, end{0}, bias{0};
    std::atomic<uint32_t> identity{0};
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t Intern(const LoadedModule& module);

  // All zero at first, so that a table in static storage costs no file and no page until it is used.
  std::array<Range, kMaxModules> ranges_[2];
  std::atomic<size_t> range_count_[2] = {};
  std::atomic<uint64_t> generation_{0};  // ranges_[generation_ % 2] is published
  size_t building_ = 0;                  // ranges added in this round

  Identity identities_[kMaxModules] = {};
  size_t identity_count_ = 0;
  char paths_[kMaxPathBytes] = {};
  size_t path_bytes_ = 0;
  std::atomic<size_t> dropped_{0};
};

}  // namespace memprof
