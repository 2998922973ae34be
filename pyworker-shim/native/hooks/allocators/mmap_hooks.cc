// Replacements of the calls that make and unmake anonymous mappings, or give their pages back.
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <optional>

#include "allocators/hooked_functions.h"
#include "allocators/note.h"
#include "hooking/own_mappings.h"
#include "sites/live_set.h"

namespace memprof {
namespace {

uintptr_t PageEnd(uintptr_t begin, size_t size) { return (begin + size + LiveSet::kPageMask) & ~LiveSet::kPageMask; }

// False: the kernel refuses to unmap at this address and changes nothing.
bool AtPageStart(const void* address) { return (reinterpret_cast<uintptr_t>(address) & LiveSet::kPageMask) == 0; }

// The library that this address of code is in; null if it isn't known.
ModuleTable::Identity* LibraryAt(const void* address) {
  return hook_state.loader.modules().Find(reinterpret_cast<uintptr_t>(address)).module;
}

void AddRegion(const void* mapping, size_t size, RegionKind kind, const char* label = nullptr, uint32_t label_size = 0) {
  const ReentryGuard guard(hook_thread);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(mapping);
  hook_state.regions.Add(begin, PageEnd(begin, size), kind, label, label_size);
}

void NotePool(void* mapping, size_t size, const ModuleTable::Identity* library) {
  hook_state.reservations.fetch_add(1, std::memory_order_relaxed);
  hook_state.reserved_bytes.fetch_add(size, std::memory_order_relaxed);
  AddRegion(mapping, size, RegionKind::kPool, library == nullptr ? nullptr : library->path, library == nullptr ? 0 : library->path_size);
}

// A region of shared memory or of a pool, or nothing.
std::optional<RegionTable::Region> RegionAt(const void* mapping) {
  std::optional<RegionTable::Region> found;
  if (hook_state.regions.Empty()) return found;
  const ReentryGuard guard(hook_thread);
  const uintptr_t address = reinterpret_cast<uintptr_t>(mapping);
  hook_state.regions.ForEachIn(address, address + 1, [&](const RegionTable::Region& region) {
    if (region.kind == RegionKind::kShared || region.kind == RegionKind::kPool) found = region;
  });
  return found;
}

// True where the kernel certainly refuses a mremap, and changes nothing.
bool IsRefused(const void* old, size_t old_size, const void* target, size_t size, int flags) {
  const bool to_target = (flags & MREMAP_FIXED) != 0, leaves_place = (flags & MREMAP_DONTUNMAP) != 0;
  const uintptr_t from = reinterpret_cast<uintptr_t>(old), to = reinterpret_cast<uintptr_t>(target);
  if (!AtPageStart(old) || size == 0) return true;
  if ((to_target || leaves_place) && (flags & MREMAP_MAYMOVE) == 0) return true;
  if (leaves_place && PageEnd(from, old_size) != PageEnd(from, size)) return true;
  return to_target && (!AtPageStart(target) || (from < PageEnd(to, size) && to < PageEnd(from, old_size)));
}

// Removes this range from the regions, because its contents were replaced.
void ForgetRegion(const void* address, size_t size) {
  if (hook_state.regions.Empty() || !AtPageStart(address)) return;
  const ReentryGuard guard(hook_thread);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(address);
  hook_state.regions.Remove(begin, PageEnd(begin, size));
}

}  // namespace

void* HookMmap(void* address, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if ((flags & MAP_FIXED) != 0 && AtPageStart(address)) NoteUnmapping(address, size);
  void* mapping = real.mmap(address, size, protection, flags, file, offset);
  if ((flags & MAP_ANONYMOUS) == 0 || hook_thread.guard != 0) return mapping;
  if (mapping == MAP_FAILED) {
    // Whoever asks for huge pages, which are set aside on few machines, takes others when there are none; likewise who only reserves
    // addresses for later.
    if (errno == ENOMEM && (flags & MAP_HUGETLB) == 0 && protection != PROT_NONE) RecordRefused(size, true);
    return mapping;
  }
  if ((flags & MAP_FIXED) != 0) ForgetRegion(mapping, size);
  ModuleTable::Identity* library = LibraryAt(__builtin_return_address(0));
  if (protection == PROT_NONE || (flags & MAP_NORESERVE) != 0 || (library != nullptr && MapsForItself(*library))) {
    NotePool(mapping, size, library);
    return mapping;
  }
  if ((flags & MAP_TYPE) != MAP_PRIVATE) AddRegion(mapping, size, RegionKind::kShared);
  NoteAllocated(mapping, size, true);
  return mapping;
}

int HookMunmap(void* address, size_t size) noexcept {
  if (AtPageStart(address)) NoteUnmapping(address, size);
  ForgetRegion(address, size);
  return real.munmap(address, size);
}

void* HookMremap(void* old, size_t old_size, size_t size, int flags, ...) noexcept {
  void* target = nullptr;
  if ((flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) != 0) {  // otherwise this argument wasn't passed
    va_list more;
    va_start(more, flags);
    target = va_arg(more, void*);
    va_end(more);
  }
  if (IsRefused(old, old_size, target, size, flags)) return real.mremap(old, old_size, size, flags, target);
  const std::optional<RegionTable::Region> region = RegionAt(old);
  const auto remap = [=] {
    if (region && (flags & MREMAP_DONTUNMAP) == 0) ForgetRegion(old, old_size);
    void* mapping = real.mremap(old, old_size, size, flags, target);
    if ((flags & MREMAP_FIXED) != 0 && mapping != MAP_FAILED) ForgetRegion(mapping, size);
    if (region) {
      const bool failed = mapping == MAP_FAILED;
      AddRegion(failed ? old : mapping, failed ? old_size : size, region->kind, region->label, region->label_size);
    }
    return mapping;
  };
  if ((flags & MREMAP_FIXED) != 0) NoteUnmapping(target, size);
  if (size < old_size && (flags & MREMAP_DONTUNMAP) == 0) NoteUnmapping(static_cast<char*>(old) + size, old_size - size);
  // What stays where it is hasn't grown: its end, if any, was noted above.
  if (size <= old_size && (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) == 0) return remap();
  Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
  if (recorder == nullptr || hook_thread.guard != 0) return remap();
  // What grows where it is can be detached afterwards: nobody else gets its old place, and a refusal, which is common, changes nothing.
  const bool stays = (flags & MREMAP_MAYMOVE) == 0;
  void* mapping = stays ? remap() : nullptr;
  if (mapping == MAP_FAILED) return mapping;
  const Recorder::Detached detached = RecordDetachedRange(recorder, old, std::min(old_size, size));
  if (!stays) mapping = remap();
  if (detached.block.address == 0) return mapping;  // a file or a reservation: it stays unfollowed
  // With MREMAP_DONTUNMAP the old range stays mapped, without any pages: like a reservation, it is nobody's.
  RecordResized(recorder, detached, mapping == MAP_FAILED ? nullptr : mapping, size, true);
  return mapping;
}

int HookMadvise(void* address, size_t size, int advice) noexcept {
  if (advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE) NoteDropping(size);
  return real.madvise(address, size, advice);
}

}  // namespace memprof
