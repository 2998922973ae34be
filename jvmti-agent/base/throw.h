// Makes an exception pending: Java throws it when the native method returns. Calls FindClass, so not with one pending already.
#pragma once

#include <jni.h>

namespace memprof {

// `type`: as JNI names classes, e.g. "java/lang/OutOfMemoryError". If it can't be found, FindClass's own error is pending.
inline void ThrowJava(JNIEnv* jni, const char* type, const char* message) {
  const jclass error = jni->FindClass(type);
  if (error != nullptr) jni->ThrowNew(error, message);
}

}  // namespace memprof
