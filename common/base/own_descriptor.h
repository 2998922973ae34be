// OwnDescriptor: a descriptor of ours that stays open in somebody else's program. A program may close all descriptors, ours as well, as
// daemons do, and then have files of its own under the same numbers. So it asks before each use whether the number still is our file. It
// can't tell ours from one that the program has opened of the same file.
//
// HOOK: system calls only, and errno is kept. Not thread-safe. Its owner closes it; it may be copied by fork().
#pragma once

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/errno_keeper.h"

namespace memprof {

class OwnDescriptor {
 public:
  void Take(int descriptor) {  // negative: none
    const ErrnoKeeper keeper;
    struct stat file = {};
    descriptor_ = Stat(descriptor, &file) ? descriptor : -1;
    device_ = file.st_dev;
    inode_ = file.st_ino;
  }

  // -1: there is none, or the program has closed it.
  int Get() const {
    if (descriptor_ < 0) return -1;
    const ErrnoKeeper keeper;
    struct stat file = {};
    return Stat(descriptor_, &file) && file.st_dev == device_ && file.st_ino == inode_ ? descriptor_ : -1;
  }

  void Close() {
    const ErrnoKeeper keeper;
    if (Get() >= 0) syscall(SYS_close, descriptor_);
    descriptor_ = -1;
  }

 private:
  static bool Stat(int descriptor, struct stat* file) { return syscall(SYS_fstat, descriptor, file) == 0; }

  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace memprof
