// LoaderWatch: keeps the GOT patched and the module table up to date while libraries are loaded and unloaded. One per process.
//
// There is no notification when a library is loaded (hooking dlopen would change the caller that it sees). So Refresh() is called
// where its cost does not matter: on every sample, in Python workers before a symbol is looked up, and in JVMs when a native method is
// bound. It compares the loader's
// counters and walks the modules only if they changed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/futex_mutex.h"
#include "hooking/got_patcher.h"
#include "hooking/loaded_module.h"
#include "hooking/module_table.h"

namespace memprof {

class LoaderWatch {
 public:
  // Patches every module. `hooks` and the result as in GotPatcher::Init(). `spare`, if given, names modules whose pointers are
  // left alone. Not HOOK.
  Status Start(const GotHook* hooks, size_t count, bool (*spare)(const LoadedModule& module) = nullptr);

  // HOOK. Does nothing while another thread refreshes: waiting could deadlock with the holder of the loader's list lock.
  void Refresh();

  // As Refresh(), but waits, a tenth of a second at most, for another thread that refreshes: it may have begun before the library was
  // loaded. For a thread that has just loaded one. Not HOOK.
  void RefreshAfterOthers();

  // Puts the original pointers back. Not HOOK.
  void Stop();

  ModuleTable& modules() { return modules_; }
  // HOOK. Of the hooks; after Start().
  const GotPatcher& patcher() const { return patcher_; }

  // Modules unloaded since the first Start(), as far as noticed. When this figure changes, what was remembered about code
  // addresses may be wrong.
  uint64_t unloaded() const { return unloaded_.load(std::memory_order_relaxed); }

  // Around fork(), from pthread_atfork handlers: no thread may hold the loader's list lock then, or it would be held in the child
  // for ever. If a thread does not finish within a tenth of a second (a container short of CPU or memory), the child stays
  // patched as it is: it never refreshes, and Start() refuses.
  void PrepareFork();
  void AfterForkInParent();
  void AfterForkInChild();

 private:
  // `everything`: modules seen in the last round are described and patched again, too.
  void Walk(bool everything);
  bool LockSoon();
  void RefreshLocked();
  bool HeldByThisThread() const;

  FutexMutex mutex_;
  GotPatcher patcher_;
  ModuleTable modules_;
  bool (*spare_)(const LoadedModule& module) = nullptr;
  LoaderCounters seen_;
  bool running_ = false;
  int rounds_to_go_ = 0;                  // for modules that were met half loaded
  const void* forking_thread_ = nullptr;  // the one that holds the mutex for its fork
  bool lost_in_fork_ = false;             // the child of a fork that could not wait: mutex and loader may be locked for good
  std::atomic<uint64_t> unloaded_{0};
};

}  // namespace memprof
