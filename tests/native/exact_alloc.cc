// Allocates exactly what it is told, by each function of the allocator families, so that tests can demand an odd size back.
// Loaded through ctypes (which gives the GIL up during a call). Every function makes one allocation and nothing else.
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace {

// Keeps the compiler from merging, moving or dropping an allocation, and from turning the call into a jump.
void* Opaque(void* block) {
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}

struct Order {
  size_t size;
  void* block;
};

void* AllocateInThread(void* order) {
  static_cast<Order*>(order)->block = Opaque(malloc(static_cast<Order*>(order)->size));
  return nullptr;
}

void* FreeInThread(void* block) {
  free(Opaque(block));
  return nullptr;
}

// Functions of the interpreter's: this library knows nothing of it.
struct Objects {
  int (*take_gil)();
  void* (*make)(const char*, ptrdiff_t);
  void (*give_gil)(int);
  size_t count, size;
};

void* MakeObjects(void* argument) {
  const auto& objects = *static_cast<Objects*>(argument);
  const int gil = objects.take_gil();
  for (size_t i = 0; i < objects.count; ++i) Opaque(objects.make(nullptr, static_cast<ptrdiff_t>(objects.size)));
  objects.give_gil(gil);
  return nullptr;
}

void* Join(void* (*function)(void*), void* argument) {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, function, argument) == 0) pthread_join(thread, nullptr);
  return argument;
}

}  // namespace

extern "C" {

#define EXACT __attribute__((visibility("default"), noinline))

EXACT void* exact_malloc(size_t size) { return Opaque(malloc(size)); }
EXACT void* exact_calloc(size_t size) { return Opaque(calloc(1, size)); }
EXACT void* exact_realloc(void* old, size_t size) { return Opaque(realloc(old, size)); }
EXACT void* exact_reallocarray(void* old, size_t size) { return Opaque(reallocarray(old, 1, size)); }
EXACT void* exact_aligned_alloc(size_t size) { return Opaque(aligned_alloc(64, size)); }
EXACT void* exact_memalign(size_t size) { return Opaque(memalign(64, size)); }
EXACT void* exact_valloc(size_t size) { return Opaque(valloc(size)); }
EXACT void* exact_pvalloc(size_t size) { return Opaque(pvalloc(size)); }
EXACT void* exact_misaligned(size_t size) {
  void* block = nullptr;
  return posix_memalign(&block, 24, size) == 0 ? Opaque(block) : nullptr;
}

EXACT void* exact_posix_memalign(size_t size) {
  void* block = nullptr;
  return posix_memalign(&block, 64, size) == 0 ? Opaque(block) : nullptr;
}
EXACT void* exact_new(size_t size) { return Opaque(operator new(size)); }
EXACT void exact_delete(void* block) { operator delete(Opaque(block)); }
EXACT void exact_free(void* block) { free(Opaque(block)); }

EXACT void* exact_mmap(size_t size, int protection, int flags) {
  return Opaque(mmap(nullptr, size, protection, flags | MAP_ANONYMOUS, -1, 0));
}
// Over whatever is mapped there.
EXACT void* exact_mmap_at(char* address, size_t offset, size_t size) {
  return mmap(address + offset, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}
EXACT int exact_munmap(char* mapping, size_t offset, size_t size) { return munmap(mapping + offset, size); }
EXACT int exact_madvise(void* mapping, size_t size, int advice) { return madvise(mapping, size, advice); }
EXACT void* exact_mremap(void* mapping, size_t old_size, size_t size) { return mremap(mapping, old_size, size, MREMAP_MAYMOVE); }
// Null: there is no room behind it.
EXACT void* exact_mremap_here(void* mapping, size_t old_size, size_t size) {
  void* grown = mremap(mapping, old_size, size, 0);
  return grown == MAP_FAILED ? nullptr : Opaque(grown);
}
// In the place of whatever is mapped at `target`.
EXACT void* exact_mremap_to(void* mapping, size_t old_size, size_t size, char* target) {
  return mremap(mapping, old_size, size, MREMAP_MAYMOVE | MREMAP_FIXED, target);
}
// The pages alone move: the old range stays mapped. Null: the kernel is older than 5.7.
EXACT void* exact_mremap_pages(void* mapping, size_t size) {
  void* moved = mremap(mapping, size, size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, nullptr);
  return moved == MAP_FAILED ? nullptr : Opaque(moved);
}

EXACT void exact_touch(void* block, size_t size) { memset(block, 1, size); }

// In a thread of its own, which Python knows nothing of; the thread is gone on return.
EXACT void* exact_malloc_in_thread(size_t size) {
  Order order = {size, nullptr};
  Join(AllocateInThread, &order);
  return order.block;
}
EXACT void exact_free_in_thread(void* block) { Join(FreeInThread, block); }

// So many bytes objects, made in such a thread and never released. PyGILState_Ensure, PyBytes_FromStringAndSize, PyGILState_Release.
EXACT void exact_objects_in_thread(int (*take_gil)(), void* (*make)(const char*, ptrdiff_t), void (*give_gil)(int), size_t count,
                                   size_t size) {
  Objects objects = {take_gil, make, give_gil, count, size};
  Join(MakeObjects, &objects);
}

// Calls back into Python, from a native frame of its own.
EXACT void* exact_call(void* (*callback)(size_t), size_t size) { return Opaque(callback(size)); }

}  // extern "C"
