// CarrierThreads: the threads on which JDK 21 and later run virtual threads. A carrier runs those of any task, one after the other, and
// who started a virtual thread can't be asked. So a carrier never works for the task that happened to start it.
//
// Thread-safe once found.
#pragma once

#include <jvmti.h>

namespace memprof {

inline constexpr const char* kVirtualThreads = "virtual threads";  // their bucket (tasks/thread_buckets.h)

class CarrierThreads {
 public:
  void Find(JNIEnv* jni);  // once; in an older JVM there are none
  bool Has(JNIEnv* jni, jthread thread) const { return class_ != nullptr && jni->IsInstanceOf(thread, class_) == JNI_TRUE; }

 private:
  jclass class_ = nullptr;  // a global reference, for the JVM's life
};

}  // namespace memprof
