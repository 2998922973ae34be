#include "tasks/carrier_threads.h"

namespace memprof {

void CarrierThreads::Find(JNIEnv* jni) {
  if (class_ != nullptr) return;
  const jclass found = jni->FindClass("jdk/internal/misc/CarrierThread");
  if (found == nullptr) {
    jni->ExceptionClear();
    return;
  }
  class_ = static_cast<jclass>(jni->NewGlobalRef(found));
  jni->DeleteLocalRef(found);
}

}  // namespace memprof
