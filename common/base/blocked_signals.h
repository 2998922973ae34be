// BlockedSignals: while an instance exists, its thread takes no signals. A thread started meanwhile never takes any. In a JVM or
// a Python process the host's signal handlers must not run on our threads.
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
