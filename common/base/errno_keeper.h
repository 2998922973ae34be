// ErrnoKeeper: puts errno back at the end of a scope, for code that runs inside the host's malloc. HOOK.
#pragma once

#include <cerrno>

namespace memprof {

class ErrnoKeeper {
 public:
  ErrnoKeeper() : saved_(errno) {}
  ~ErrnoKeeper() { errno = saved_; }
  ErrnoKeeper(const ErrnoKeeper&) = delete;
  ErrnoKeeper& operator=(const ErrnoKeeper&) = delete;

 private:
  int saved_;
};

}  // namespace memprof
