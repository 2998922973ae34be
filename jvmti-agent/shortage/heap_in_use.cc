#include "shortage/heap_in_use.h"

#include <dlfcn.h>

namespace memprof {

HeapInUse::HeapInUse() {
  void* library = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return;
  total_ = reinterpret_cast<Ask>(dlsym(library, "JVM_TotalMemory"));
  free_ = reinterpret_cast<Ask>(dlsym(library, "JVM_FreeMemory"));
  dlclose(library);  // we run inside of it
}

std::optional<uint64_t> HeapInUse::Read() const {
  if (total_ == nullptr || free_ == nullptr) return std::nullopt;
  const int64_t free = free_(), total = total_();  // in this order: what the heap grows by meanwhile is free
  return total > free ? static_cast<uint64_t>(total - free) : 0;
}

}  // namespace memprof
