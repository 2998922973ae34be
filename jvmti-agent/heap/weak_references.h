// WeakReferences: the JVM's weak global references, for one thread. An interface, so that the table above it can be tested
// without a JVM. None of the calls leaves an exception pending.
#pragma once

#include <jni.h>

namespace memprof {

class WeakReferences {
 public:
  virtual ~WeakReferences() = default;
  virtual jweak Make(jobject object) = 0;  // null: the JVM has no room
  virtual bool IsGone(jweak reference) = 0;
  virtual void Delete(jweak reference) = 0;
};

class JniWeakReferences final : public WeakReferences {
 public:
  explicit JniWeakReferences(JNIEnv* jni) : jni_(jni) {}

  jweak Make(jobject object) override {
    const jweak reference = jni_->NewWeakGlobalRef(object);
    if (reference == nullptr && jni_->ExceptionCheck() != JNI_FALSE) jni_->ExceptionClear();
    return reference;
  }
  // The one test of a weak reference that doesn't keep its object alive for a concurrent collector.
  bool IsGone(jweak reference) override { return jni_->IsSameObject(reference, nullptr) != JNI_FALSE; }
  void Delete(jweak reference) override { jni_->DeleteWeakGlobalRef(reference); }

 private:
  JNIEnv* jni_;
};

}  // namespace memprof
