// JavaThreads: what HotSpot's threads are doing, by the field that it exports for debuggers (rss/hotspot_layout.h) and the place of a
// thread's JNIEnv in it, which is measured once. With another JVM nothing is known. Thread-safe.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>

#include "base/status.h"

namespace memprof {

class JavaThreads {
 public:
  // HotSpot's JavaThreadState.
  static constexpr int kInNative = 4, kInVm = 6;

  // On a Java thread in native code.
  static Result<JavaThreads> Find(JNIEnv* jni);

  // Of the thread with this JNIEnv, while it lives.
  std::atomic<int>* StateOf(const JNIEnv* jni) const {
    return reinterpret_cast<std::atomic<int>*>(reinterpret_cast<uintptr_t>(jni) - static_cast<uintptr_t>(env_offset_) + state_offset_);
  }
  // True where JNI and JVMTI may be called.
  bool IsInNative(const JNIEnv* jni) const { return StateOf(jni)->load(std::memory_order_acquire) == kInNative; }

 private:
  intptr_t env_offset_ = 0;  // of the JNIEnv in HotSpot's JavaThread
  uintptr_t state_offset_ = 0;
};

}  // namespace memprof
