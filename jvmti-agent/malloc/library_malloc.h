// LibraryMalloc: what JNI libraries (zstd, RocksDB, Netty's and Arrow's natives, engines in Rust) take from malloc, by task and by a stack
// of Java and native frames. The calls of all libraries are redirected to malloc_hooks.h, except those of libjvm, whose own memory the
// JVM's rows show, and a few more (spared_modules.h). Blocks of at least 4 intervals are counted exactly, smaller ones sampled.
//
// A thread's Java stack is asked for where a Java method has called the library, and nothing that may hold a lock of the JVM's is between
// them (spared_modules.h); HotSpot itself must say that the thread is in native code (rss/java_threads.h). Elsewhere (the VM's own
// threads and those of a library's runtime, libraries called by the VM, constructors) there are native frames alone. What runs on a task's
// thread is the task's, all else goes to a bucket (tasks/thread_buckets.h).
//
// Hooks call it around malloc, not within: it may allocate, since this library's own calls are not redirected. In the child of a fork
// nothing is recorded. Thread-safe. No exception gets out.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/status.h"
#include "hooking/loader_watch.h"
#include "offheap/block_tracker.h"
#include "rss/java_threads.h"

namespace memprof {

class LibraryMalloc {
 public:
  explicit LibraryMalloc(BlockTracker* blocks) : blocks_(blocks) {}

  // Redirects the libraries, once, and records from now on. On a Java thread in native code. An error says why nothing is seen.
  Status Start(JavaVM* vm, jvmtiEnv* jvmti, JNIEnv* jni, uint64_t interval_bytes);
  // Blocks that are followed already are seen being freed.
  void Stop();
  // Redirects libraries that were loaded meanwhile. Any thread may call it, often.
  void LookForLibraries();

  // By hooks. `address`: of a block that was taken as a sample.
  void Allocated(uintptr_t address, uint64_t size, const SampleWeight& weight) noexcept;
  bool MayFollow(uintptr_t address) const { return blocks_->MayFollow(address); }
  void Freeing(uintptr_t address) noexcept;
  // Around realloc(): the block is taken out first; put back, or given up, when it has succeeded.
  std::optional<OffHeapBlock> Detach(uintptr_t address) noexcept;
  void Resized(uintptr_t old_address, const OffHeapBlock& old, bool done) noexcept;
  uint64_t interval_bytes() const { return interval_.load(std::memory_order_relaxed); }

 private:
  void Forked();

  BlockTracker* blocks_;
  std::atomic<bool> redirected_{false};
  std::atomic<uint64_t> interval_{512u << 10};
  std::atomic<bool> forked_{false};  // this process is a child
  JavaVM* vm_ = nullptr;
  jvmtiEnv* jvmti_ = nullptr;
  JavaThreads threads_;
  LoaderWatch loader_;
};

}  // namespace memprof
