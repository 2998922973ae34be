// BlockedSignals: while one lives, its thread takes no signals, nor does any thread started meanwhile, ever: in a JVM or a Python process
// the host's handlers must not land on a thread of ours.
#pragma once

#include <pthread.h>

#include <csignal>

namespace memprof {

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace memprof
