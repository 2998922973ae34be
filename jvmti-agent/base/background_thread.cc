#include "base/background_thread.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <exception>
#include <system_error>
#include <utility>

#include "base/blocked_signals.h"

namespace memprof {

Status BackgroundThread::Start(const char* name, int nice, Round round) {
  Stop();
  round_ = std::move(round);
  wanted_ = true;
  woken_ = false;
  const BlockedSignals blocked;
  try {
    thread_ = std::thread([this, name, nice] { Run(name, nice); });
  } catch (const std::system_error& error) {
    wanted_ = false;
    return Status::Error(ErrorCode::kExhausted, "cannot start thread %s: %s", name, error.what());
  }
  return {};
}

void BackgroundThread::Wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_one();
}

void BackgroundThread::Stop() {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = false;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void BackgroundThread::Run(const char* name, int nice) {
  pthread_setname_np(pthread_self(), name);
  // On Linux this sets the thread's priority, not the process's.
  if (nice > 0) setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), nice);
  std::unique_lock lock(mutex_);
  while (wanted_) {
    woken_ = false;
    lock.unlock();
    std::chrono::milliseconds pause{1000};
    try {
      pause = round_();
    } catch (const std::exception&) {
    }
    lock.lock();
    changed_.wait_for(lock, pause, [&] { return !wanted_ || woken_; });
  }
}

}  // namespace memprof
