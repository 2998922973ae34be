#pragma once

#include <exception>

namespace memprof {

// What runs below JNI and JVMTI must not throw; all that can is std::bad_alloc, and then the figure is lost, not the JVM.
template <typename Work>
void Guarded(Work&& work) noexcept {
  try {
    work();
  } catch (const std::exception&) {
  }
}

}  // namespace memprof
