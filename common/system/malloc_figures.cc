#include "system/malloc_figures.h"

#include <dlfcn.h>
#include <malloc.h>

namespace memprof {

MallocFigures ReadMallocFigures() {
  using Mallinfo2 = struct mallinfo2 (*)();
  static const auto ask = reinterpret_cast<Mallinfo2>(dlsym(RTLD_DEFAULT, "mallinfo2"));
  if (ask == nullptr) return {};
  const struct mallinfo2 said = ask();
  return {said.uordblks, said.fordblks};
}

}  // namespace memprof
