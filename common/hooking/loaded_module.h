// LoadedModule: one ELF module of this process as the loader describes it, and the walk over all of them.
//
// The walk is dl_iterate_phdr, whose callback runs under the loader's list lock: no module can be unmapped during a visit, so a
// visitor may read (and patch) the module's memory. But a visitor must not allocate, and must not take a lock that any thread
// holds while walking or allocating. The list lock is recursive: a hook that runs inside another callback may walk again.
//
// Nothing here allocates; everything may be called from hooks.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace memprof {

inline constexpr size_t kMaxBuildIdBytes = 32;

struct LoadedModule {
  uintptr_t bias = 0;                        // address = bias + virtual address in the file
  uintptr_t begin = 0, end = 0;              // the whole mapping
  uintptr_t relro_begin = 0, relro_end = 0;  // pages that the loader makes read-only once the module is relocated
  const ElfW(Dyn) * dynamic = nullptr;
  const char* path = "";  // the loader's text, valid during the visit only; "" for the main program
  uint8_t build_id[kMaxBuildIdBytes] = {};
  uint32_t build_id_size = 0;             // bytes; 0: the module has none
  bool is_loader_or_vdso = false;         // ld.so or the kernel's vdso
  const ElfW(Phdr) * segments = nullptr;  // valid during the visit only
  size_t segment_count = 0;

  bool Contains(uintptr_t address) const { return address >= begin && address < end; }
  // Whether it is one of its variables: in a segment that is writable for good. While the loader relocates a module, others may be, too.
  bool IsData(uintptr_t address) const {
    for (size_t i = 0; i < segment_count; ++i) {
      const ElfW(Phdr)& segment = segments[i];
      if (segment.p_type == PT_LOAD && address - (bias + segment.p_vaddr) < segment.p_memsz) return (segment.p_flags & PF_W) != 0;
    }
    return false;
  }
};

// How often the loader has added and removed modules.
struct LoaderCounters {
  uint64_t adds = 0, removals = 0;
  bool operator==(const LoaderCounters&) const = default;
};
LoaderCounters ReadLoaderCounters();  // takes the list lock, briefly

// Calls `visitor` for every module. Returns the counters as they were during the walk.
using ModuleVisitor = void (*)(const LoadedModule& module, void* context);
LoaderCounters VisitLoadedModules(ModuleVisitor visitor, void* context);

template <typename Visitor>
LoaderCounters VisitLoadedModules(Visitor&& visitor) {
  return VisitLoadedModules([](const LoadedModule& module, void* context) { (*static_cast<decltype(&visitor)>(context))(module); },
                            &visitor);
}

}  // namespace memprof
