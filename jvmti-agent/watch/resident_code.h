// ResidentCode: while one is kept, those pages of this library and of libc stay in memory that have been touched.
//
// In a container that is nearly full the kernel takes back pages of files, code among them, and whoever runs into a missing one
// waits until room has been found for it: the watcher's last look came seconds late so. What was touched once is
// locked (MLOCK_ONFAULT, Linux 4.4). Where RLIMIT_MEMLOCK or a sandbox forbids it for either library, that one is not.
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
