#pragma once

#include <exception>

namespace memprof {

// Code called by JNI and JVMTI must not throw. Only std::bad_alloc can occur; then the figure is lost, and the JVM continues.
template <typename Work>
void Guarded(Work&& work) noexcept {
  try {
    work();
  } catch (const std::exception&) {
  }
}

}  // namespace memprof
