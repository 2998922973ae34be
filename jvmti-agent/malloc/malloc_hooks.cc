#include "malloc/malloc_hooks.h"

#include <atomic>
#include <cstdint>
#include <iterator>
#include <optional>

#include "base/errno_keeper.h"
#include "hooking/malloc_family.h"
#include "malloc/library_malloc.h"
#include "sampling/thread_sampler.h"

namespace memprof {
namespace {

struct RealFunctions {
#define MEMPROF_REAL(name, hook, may_be_missing, result, parameters) result(*name) parameters;
  MEMPROF_MALLOC_FAMILY(MEMPROF_REAL)
#undef MEMPROF_REAL
};
RealFunctions real;  // set once, before anything is patched

std::atomic<LibraryMalloc*> sink{nullptr};
SamplingStarts starts;

// Plain data in the static TLS block: reached by one instruction, without allocation, until the thread is gone.
struct HookThread {
  ThreadSampler sampler;
  bool recording;  // the calls that hooks see are made by the recording of another
};
__attribute__((tls_model("initial-exec"))) thread_local constinit HookThread hook_thread{};

class Recording {
 public:
  Recording() { hook_thread.recording = true; }
  ~Recording() { hook_thread.recording = false; }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  ErrnoKeeper errno_keeper_;
};

__attribute__((noinline, cold)) void RecordAllocated(void* block, size_t size) {
  const uint32_t start = starts.Now();
  if (!SamplingStarts::IsOn(start)) {
    hook_thread.sampler.PutOff(start);
    return;
  }
  LibraryMalloc* to = sink.load(std::memory_order_acquire);
  const Recording recording;
  const SampleWeight weight = hook_thread.sampler.Draw(size, to->interval_bytes(), start);
  if (weight.taken()) to->Allocated(reinterpret_cast<uintptr_t>(block), size, weight);
}

void NoteAllocated(void* block, size_t size) {
  if (block == nullptr || hook_thread.recording) [[unlikely]]
    return;
  if (hook_thread.sampler.Crosses(size, starts.Now())) [[unlikely]]
    RecordAllocated(block, size);
}

bool MayFollow(const void* block) {
  return !hook_thread.recording && sink.load(std::memory_order_acquire)->MayFollow(reinterpret_cast<uintptr_t>(block));
}

__attribute__((noinline, cold)) void RecordFreeing(void* block) {
  const Recording recording;
  sink.load(std::memory_order_acquire)->Freeing(reinterpret_cast<uintptr_t>(block));
}

void NoteFreeing(void* block) {
  if (MayFollow(block)) [[unlikely]]
    RecordFreeing(block);
}

std::optional<OffHeapBlock> Detached(void* block) {
  const Recording recording;
  return sink.load(std::memory_order_acquire)->Detach(reinterpret_cast<uintptr_t>(block));
}

void RecordResized(uintptr_t old, const OffHeapBlock& followed, bool done) {
  const Recording recording;
  sink.load(std::memory_order_acquire)->Resized(old, followed, done);
}

#define MEMPROF_HOOK(name, hook, may_be_missing, result, parameters) result hook parameters noexcept;
MEMPROF_MALLOC_FAMILY(MEMPROF_HOOK)
#undef MEMPROF_HOOK

void* HookMalloc(size_t size) noexcept {
  void* block = real.malloc(size);
  NoteAllocated(block, size);
  return block;
}

void HookFree(void* block) noexcept {
  NoteFreeing(block);
  real.free(block);
}

void HookFreeSized(void* block, size_t size) noexcept {
  NoteFreeing(block);
  real.free_sized(block, size);
}

void HookFreeAlignedSized(void* block, size_t alignment, size_t size) noexcept {
  NoteFreeing(block);
  real.free_aligned_sized(block, alignment, size);
}

void* HookCalloc(size_t count, size_t size) noexcept {
  void* block = real.calloc(count, size);
  NoteAllocated(block, count * size);  // null where this overflows
  return block;
}

void* HookRealloc(void* old, size_t size) noexcept {
  if (old != nullptr && size == 0) {  // glibc frees the block
    NoteFreeing(old);
    return real.realloc(old, size);
  }
  const std::optional<OffHeapBlock> followed = MayFollow(old) ? Detached(old) : std::nullopt;
  const auto old_address = reinterpret_cast<uintptr_t>(old);
  void* block = real.realloc(old, size);
  if (followed) RecordResized(old_address, *followed, block != nullptr);
  NoteAllocated(block, size);
  return block;
}

void* HookReallocarray(void* old, size_t count, size_t size) noexcept {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return real.reallocarray(old, count, size);  // fails
  return HookRealloc(old, bytes);
}

int HookPosixMemalign(void** block, size_t alignment, size_t size) noexcept {
  const int error = real.posix_memalign(block, alignment, size);
  if (error == 0) NoteAllocated(*block, size);
  return error;
}

void* HookAlignedAlloc(size_t alignment, size_t size) noexcept {
  void* block = real.aligned_alloc(alignment, size);
  NoteAllocated(block, size);
  return block;
}

void* HookMemalign(size_t alignment, size_t size) noexcept {
  void* block = real.memalign(alignment, size);
  NoteAllocated(block, size);
  return block;
}

void* HookValloc(size_t size) noexcept {
  void* block = real.valloc(size);
  NoteAllocated(block, size);
  return block;
}

void* HookPvalloc(size_t size) noexcept {
  void* block = real.pvalloc(size);
  NoteAllocated(block, size);
  return block;
}

const GotHook kHooks[] = {
#define MEMPROF_ROW(name, hook, may_be_missing, result, parameters) \
  {#name, reinterpret_cast<void*>(hook), reinterpret_cast<void**>(&real.name), may_be_missing},
    MEMPROF_MALLOC_FAMILY(MEMPROF_ROW)
#undef MEMPROF_ROW
};

}  // namespace

void BeginToRecord() { starts.Begin(); }

void RecordNoMore() { starts.End(); }

void PassOnInThisThread() { hook_thread.recording = true; }

MallocHooks MallocHookList() { return {kHooks, std::size(kHooks)}; }

void SetMallocHooksSink(LibraryMalloc* to) { sink.store(to, std::memory_order_release); }

}  // namespace memprof
