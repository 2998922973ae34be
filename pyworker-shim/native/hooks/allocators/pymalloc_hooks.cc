#include "allocators/pymalloc_hooks.h"

#include <Python.h>

#include "allocators/record.h"

namespace memprof {
namespace {

constexpr size_t kLargestSmall = 512;  // pymalloc's SMALL_REQUEST_THRESHOLD

struct Domain {
  PyMemAllocatorDomain domain;
  PyMemAllocatorEx original;
  bool installed;
};
Domain domains[] = {{PYMEM_DOMAIN_OBJ, {}, false}, {PYMEM_DOMAIN_MEM, {}, false}};

PyMemAllocatorEx& Original(void* context) { return static_cast<Domain*>(context)->original; }

void* WrapMalloc(void* context, size_t size) {
  PyMemAllocatorEx& original = Original(context);
  if (size > kLargestSmall) return original.malloc(original.ctx, size);
  void* block;
  {
    const ReentryGuard guard(hook_thread);
    block = original.malloc(original.ctx, size);
  }
  NoteAllocated(block, size, false);
  return block;
}

void* WrapCalloc(void* context, size_t count, size_t size) {
  PyMemAllocatorEx& original = Original(context);
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > kLargestSmall) return original.calloc(original.ctx, count, size);
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
  // A small block grows out of pymalloc, or malloc's realloc sees the whole of it.
  Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
  if (old == nullptr || recorder == nullptr || !recorder->MayBeLive(reinterpret_cast<uintptr_t>(old))) {
    return original.realloc(original.ctx, old, size);
  }
  return NoteResizing(old, size, true, [&] {
    const ReentryGuard guard(hook_thread);
    return original.realloc(original.ctx, old, size);
  });
}

void WrapFree(void* context, void* block) {
  PyMemAllocatorEx& original = Original(context);
  NoteFreeing(block);
  original.free(original.ctx, block);
}

}  // namespace

void InstallPymallocHooks() {
  for (Domain& domain : domains) {
    PyMemAllocatorEx current;
    PyMem_GetAllocator(domain.domain, &current);
    if (current.ctx == &domain) continue;
    if (domain.installed) continue;  // someone wraps us
    domain.original = current;
    domain.installed = true;
    PyMemAllocatorEx wrapper = {&domain, WrapMalloc, WrapCalloc, WrapRealloc, WrapFree};
    PyMem_SetAllocator(domain.domain, &wrapper);
  }
}

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
