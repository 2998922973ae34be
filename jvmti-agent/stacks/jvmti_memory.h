// Memory that JVMTI handed out, given back at the end of the scope. Not thread-safe.
#pragma once

#include <jvmti.h>

namespace memprof {

template <typename T>
class JvmtiMemory {
 public:
  explicit JvmtiMemory(jvmtiEnv* jvmti) : jvmti_(jvmti) {}
  ~JvmtiMemory() {
    if (data_ != nullptr) jvmti_->Deallocate(reinterpret_cast<unsigned char*>(data_));
  }
  JvmtiMemory(const JvmtiMemory&) = delete;
  JvmtiMemory& operator=(const JvmtiMemory&) = delete;
  T** target() { return &data_; }
  T* get() const { return data_; }

 private:
  jvmtiEnv* jvmti_;
  T* data_ = nullptr;
};

}  // namespace memprof
