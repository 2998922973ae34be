// Handles: objects of ours that Java holds by their address; 0 is none.
#pragma once

#include <jni.h>

#include <cstdint>

#include "jni/or_else.h"

namespace memprof {

template <typename Object>
Object* At(jlong handle) {
  return reinterpret_cast<Object*>(static_cast<uintptr_t>(handle));
}

template <typename Object>
jlong HandleOf(Object* object) {
  return static_cast<jlong>(reinterpret_cast<uintptr_t>(object));
}

// `work` with the object; nothing for 0, and no exception gets out.
template <typename Object, typename Work>
void With(jlong handle, Work&& work) {
  if (handle == 0) return;
  OrElse(false, [&] {
    work(*At<Object>(handle));
    return true;
  });
}

}  // namespace memprof
