// ResidentCode: between Keep() and Release(), pages of this library and of libc that have been used once stay in memory.
//
// In a container that is nearly full the kernel drops pages of files, including code. A thread that needs such a page waits until
// there is room for it. This delayed the watcher's last look by seconds. So pages are locked when they are first used (MLOCK_ONFAULT,
// Linux 4.4). A library for which RLIMIT_MEMLOCK or a sandbox forbids it is not locked.
//
// Not thread-safe. Not for hooks.
#pragma once

#include <cstddef>
#include <vector>

namespace memprof {

class ResidentCode {
 public:
  ResidentCode() = default;
  ~ResidentCode() { Release(); }
  ResidentCode(const ResidentCode&) = delete;
  ResidentCode& operator=(const ResidentCode&) = delete;

  size_t Keep();  // bytes of address space whose pages are kept from now on; 0: forbidden
  void Release();

 private:
  struct Mapping {
    void* begin;
    size_t bytes;
  };
  std::vector<Mapping> kept_;
};

}  // namespace memprof
