#include "allocators/pymalloc_hooks.h"

#include <Python.h>

#include <atomic>

#include "allocators/note.h"

namespace memprof {
namespace {

constexpr size_t kLargestSmall = 512;  // pymalloc's SMALL_REQUEST_THRESHOLD

struct Domain {
  PyMemAllocatorDomain domain;
  void* (*calloc)(size_t count, size_t size);
  void (*free)(void* block);
  PyMemAllocatorEx original;
  bool installed;
};
Domain domains[] = {{PYMEM_DOMAIN_OBJ, PyObject_Calloc, PyObject_Free, {}, false}, {PYMEM_DOMAIN_MEM, PyMem_Calloc, PyMem_Free, {}, false}};

std::atomic<bool> arena_refused{false};

PyMemAllocatorEx& Original(void* context) { return static_cast<Domain*>(context)->original; }

void* Malloc(void* context, size_t size) {
  const PyMemAllocatorEx& served_by = Original(context);
  return served_by.malloc(served_by.ctx, size);
}

void* WrapMalloc(void* context, size_t size) {
  if (size > kLargestSmall) return Malloc(context, size);
  return NoteAllocating(size, false, [context, size] {
    const ReentryGuard guard(hook_thread);
    return Malloc(context, size);
  });
}

// The wrapper of pymalloc itself. As long as pymalloc gets arenas, it calls malloc for its own tables only (arena_hooks.cc).
void* WrapPymalloc(void* context, size_t size) {
  if (size > kLargestSmall || arena_refused.load(std::memory_order_relaxed)) [[unlikely]]
    return WrapMalloc(context, size);
  return NoteAllocating(size, false, [context, size] { return Malloc(context, size); });
}

void* WrapCalloc(void* context, size_t count, size_t size) {
  PyMemAllocatorEx& original = Original(context);
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > kLargestSmall) {
    hook_thread.probing = false;
    return original.calloc(original.ctx, count, size);
  }
  void* block;
  {
    const ReentryGuard guard(hook_thread);
    block = original.calloc(original.ctx, count, size);
  }
  NoteAllocated(block, bytes, false);
  return block;
}

void* WrapRealloc(void* context, void* old, size_t size) {
  PyMemAllocatorEx& original = Original(context);
  if (size <= kLargestSmall) {
    return NoteResizing(old, size, false, [&] {
      const ReentryGuard guard(hook_thread);
      return original.realloc(original.ctx, old, size);
    });
  }
  // Nothing to record: either a small block is moved from pymalloc to malloc, or malloc's own realloc hook sees the whole call.
  if (old == nullptr || !hook_state.MayBeLive(old)) return original.realloc(original.ctx, old, size);
  return NoteResizing(old, size, true, [&] {
    const ReentryGuard guard(hook_thread);
    return original.realloc(original.ctx, old, size);
  });
}

void WrapFree(void* context, void* block) {
  NoteFreeing(block, [context, block] {
    const PyMemAllocatorEx& original = Original(context);
    original.free(original.ctx, block);
  });
}

// True for the interpreter's own pymalloc: not a wrapper (a wrapper has a context), and not malloc under another name.
bool IsPymalloc(const PyMemAllocatorEx& allocator) {
  PyMemAllocatorEx raw;
  PyMem_GetAllocator(PYMEM_DOMAIN_RAW, &raw);
  return allocator.ctx == nullptr && raw.ctx == nullptr && allocator.malloc != raw.malloc &&
         hook_state.interpreter.module.Contains(reinterpret_cast<uintptr_t>(allocator.malloc));
}

// If another allocator is installed now, it may be a wrapper that calls ours, or one that was restored from before ours, as
// tracemalloc.stop() does.
bool StillReached(const Domain& domain) {
  const ReentryGuard guard(hook_thread);
  hook_thread.probing = true;
  domain.free(domain.calloc(1, kLargestSmall + 1));
  const bool reached = !hook_thread.probing;
  hook_thread.probing = false;
  return reached;
}

}  // namespace

void InstallPymallocHooks() {
  for (Domain& domain : domains) {
    PyMemAllocatorEx current;
    PyMem_GetAllocator(domain.domain, &current);
    if (current.ctx == &domain) continue;
    if (domain.installed && StillReached(domain)) continue;
    domain.original = current;
    domain.installed = true;
    PyMemAllocatorEx wrapper = {&domain, IsPymalloc(current) ? WrapPymalloc : WrapMalloc, WrapCalloc, WrapRealloc, WrapFree};
    PyMem_SetAllocator(domain.domain, &wrapper);
  }
}

void OnArenaRefused() { arena_refused.store(true, std::memory_order_relaxed); }

void UninstallPymallocHooks() {
  for (Domain& domain : domains) {
    PyMemAllocatorEx current;
    PyMem_GetAllocator(domain.domain, &current);
    if (current.ctx != &domain) continue;
    PyMem_SetAllocator(domain.domain, &domain.original);
    domain.installed = false;
  }
}

}  // namespace memprof
