// The border between C++ and Java: no exception crosses it.
#pragma once

#include <exception>

namespace memprof {

// What `work` returns, or `otherwise` when it threw (which only running out of memory does).
template <typename Value, typename Work>
Value OrElse(Value otherwise, Work&& work) noexcept {
  try {
    return work();
  } catch (const std::exception&) {
    return otherwise;
  }
}

}  // namespace memprof
