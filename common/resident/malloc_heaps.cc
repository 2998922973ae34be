#include "resident/malloc_heaps.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/errno_keeper.h"

namespace memprof {
namespace {

constexpr uintptr_t kPage = 4096;

// The first fields of heap_info. The state of an arena lies directly behind the heap_info of its first heap, of 32 to 48 bytes by version.
struct HeapHead {
  uintptr_t arena, previous, size, accessible;
};
constexpr uintptr_t kLeastInfo = 32, kMostInfo = 128, kInfoAlignment = 16;

uintptr_t OffsetInHeap(uintptr_t address) { return address % kMallocHeapBytes; }

bool IsHead(const HeapHead& head, uintptr_t address) {
  for (const uintptr_t size : {head.size, head.accessible}) {
    if (size == 0 || size > kMallocHeapBytes || size % kPage != 0) return false;
  }
  const uintptr_t info = OffsetInHeap(head.arena);
  if (info < kLeastInfo || info > kMostInfo || info % kInfoAlignment != 0) return false;
  if (head.previous == 0) return head.arena - info == address;
  return OffsetInHeap(head.previous) == 0 && head.previous != address;
}

}  // namespace

bool MallocHeaps::BeginsAt(uintptr_t address, bool begins_mapping) const {
  if (!pages_.IsTouched(address)) return false;  // to read an untouched page would put it into memory
  const ErrnoKeeper errno_keeper;
  HeapHead head;
  const iovec to{&head, sizeof head}, from{reinterpret_cast<void*>(address), sizeof head};
  const long got = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &to, 1L, &from, 1L, 0L);
  if (got < 0 && errno != EFAULT) return begins_mapping;  // seccomp may forbid it
  return got == sizeof head && IsHead(head, address);
}

}  // namespace memprof
