#include "watch/resident_code.h"

#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "hooking/loaded_module.h"

namespace memprof {
namespace {

const char kOfThisLibrary = 0;

// Calls the kernel directly, as for mlock2: under a sanitizer, libc's function does nothing.
void Unlock(void* begin, size_t bytes) { syscall(SYS_munlock, begin, bytes); }

}  // namespace

size_t ResidentCode::Keep() {
  Release();
  // Ours first: the limit may not be large enough for both.
  std::array<LoadedModule, 2> modules;
  const std::array<uintptr_t, 2> within = {reinterpret_cast<uintptr_t>(&kOfThisLibrary), reinterpret_cast<uintptr_t>(&getpid)};
  VisitLoadedModules([&](const LoadedModule& module) {
    for (size_t i = 0; i < modules.size(); ++i) {
      if (module.Contains(within[i])) modules[i] = module;
    }
  });
  size_t kept = 0;
  for (const LoadedModule& module : modules) {
    const Mapping mapping = {reinterpret_cast<void*>(module.begin), module.end - module.begin};
    if (mapping.bytes == 0) continue;
    if (syscall(SYS_mlock2, mapping.begin, mapping.bytes, MLOCK_ONFAULT) != 0) {
      Unlock(mapping.begin, mapping.bytes);  // what was locked before a hole was met
      continue;
    }
    kept_.push_back(mapping);
    kept += mapping.bytes;
  }
  return kept;
}

void ResidentCode::Release() {
  for (const Mapping& mapping : kept_) Unlock(mapping.begin, mapping.bytes);
  kept_.clear();
}

}  // namespace memprof
