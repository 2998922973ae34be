#include "hooking/loader_watch.h"

#include <time.h>

namespace memprof {
namespace {

// For how many samples after a change of the loader's counters modules are checked again, if one was half loaded.
constexpr int kRoundsForHalfLoaded = 64;

}  // namespace

Status LoaderWatch::Start(const GotHook* hooks, size_t count, bool (*spare)(const LoadedModule& module)) {
  if (lost_in_fork_) {
    return Status::Error(ErrorCode::kUnsupported, "another thread was looking at loaded libraries when this process was forked");
  }
  FutexLock lock(mutex_);
  Status found = patcher_.Init(hooks, count);
  if (!found.ok()) return found;
  spare_ = spare;
  running_ = true;
  rounds_to_go_ = kRoundsForHalfLoaded;
  Walk(true);
  return {};
}

void LoaderWatch::Walk(bool everything) {
  patcher_.BeginRound();
  modules_.BeginRound();
  seen_ = VisitLoadedModules([&](const LoadedModule& module) {
    const ModuleTable::Location known = everything ? ModuleTable::Location() : modules_.Find(module.begin);
    modules_.Add(module, known.module);
    if (known.module == nullptr && (spare_ == nullptr || !spare_(module))) patcher_.Patch(module);
  });
  modules_.Publish();
  if (!patcher_.incomplete()) rounds_to_go_ = 0;
}

void LoaderWatch::RefreshLocked() {
  if (!running_) return;
  const LoaderCounters now = ReadLoaderCounters();
  if (now != seen_) {
    const uint64_t unloaded = now.removals - seen_.removals;
    unloaded_.fetch_add(unloaded, std::memory_order_relaxed);
    const bool half_loaded = rounds_to_go_ > 0;
    rounds_to_go_ = kRoundsForHalfLoaded;
    Walk(unloaded > 0 || half_loaded);
  } else if (rounds_to_go_ > 0) {
    --rounds_to_go_;
    Walk(true);
  }
}

void LoaderWatch::Refresh() {
  if (!mutex_.try_lock()) return;
  RefreshLocked();
  mutex_.unlock();
}

void LoaderWatch::RefreshAfterOthers() {
  if (!LockSoon()) return;
  RefreshLocked();
  mutex_.unlock();
}

// A tenth of a second at most.
bool LoaderWatch::LockSoon() {
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 100'000};
  for (int pauses = 0; pauses < 1000; ++pauses) {
    if (mutex_.try_lock()) return true;
    nanosleep(&kPause, nullptr);
  }
  return false;
}

void LoaderWatch::Stop() {
  if (lost_in_fork_) return;
  FutexLock lock(mutex_);
  if (!running_) return;
  running_ = false;
  VisitLoadedModules([this](const LoadedModule& module) { patcher_.Restore(module); });
}

// Several threads may fork at once: only the one that has the mutex may set forking_thread_ or unlock.
void LoaderWatch::PrepareFork() {
  if (LockSoon()) __atomic_store_n(&forking_thread_, __builtin_thread_pointer(), __ATOMIC_RELAXED);
}

bool LoaderWatch::HeldByThisThread() const { return __atomic_load_n(&forking_thread_, __ATOMIC_RELAXED) == __builtin_thread_pointer(); }

void LoaderWatch::AfterForkInParent() {
  if (!HeldByThisThread()) return;
  __atomic_store_n(&forking_thread_, nullptr, __ATOMIC_RELAXED);
  mutex_.unlock();
}

void LoaderWatch::AfterForkInChild() {
  if (HeldByThisThread()) {  // the thread's address is the same as in the parent
    forking_thread_ = nullptr;
    mutex_.ResetInChild();
  } else {
    lost_in_fork_ = true;
  }
}

}  // namespace memprof
