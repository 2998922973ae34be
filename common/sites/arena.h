// Arena: gives out pieces of one zero-filled range, once, at set-up. Without a range it only sums up what would be needed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memprof {

class Arena {
 public:
  Arena() = default;  // measures
  Arena(void* zeroed, size_t bytes) : base_(static_cast<char*>(zeroed)), bytes_(bytes) {}

  // `count` zero-filled objects on a cache line of their own; null while measuring, or when the range is used up.
  template <typename T>
  T* Take(size_t count) {
    used_ = (used_ + 63) / 64 * 64;
    size_t at = used_;
    used_ += count * sizeof(T);
    return used_ <= bytes_ ? reinterpret_cast<T*>(base_ + at) : nullptr;
  }

  size_t used() const { return used_; }

 private:
  char* base_ = nullptr;
  size_t bytes_ = 0;
  size_t used_ = 0;
};

}  // namespace memprof
