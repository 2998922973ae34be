// AddressList: a bounded set of addresses in order, in memory given by the caller. Not thread-safe. Callable from hooks.
#pragma once

#include <algorithm>
#include <cstdint>

namespace memprof {

class AddressList {
 public:
  AddressList() = default;
  AddressList(uintptr_t* memory, uint32_t capacity) : addresses_(memory), capacity_(capacity) {}

  uint32_t count() const { return count_; }
  uintptr_t operator[](uint32_t i) const { return addresses_[i]; }

  // The first that isn't below `address`; count() when there is none.
  uint32_t LowerBound(uintptr_t address) const {
    return static_cast<uint32_t>(std::lower_bound(addresses_, addresses_ + count_, address) - addresses_);
  }

  // A full list stays as it is.
  void Add(uintptr_t address) {
    if (count_ == capacity_) return;
    const uint32_t at = LowerBound(address);
    std::copy_backward(addresses_ + at, addresses_ + count_, addresses_ + count_ + 1);
    addresses_[at] = address;
    ++count_;
  }

  void Remove(uintptr_t address) {
    const uint32_t at = LowerBound(address);
    if (at == count_ || addresses_[at] != address) return;
    std::copy(addresses_ + at + 1, addresses_ + count_, addresses_ + at);
    --count_;
  }

 private:
  uintptr_t* addresses_ = nullptr;
  uint32_t capacity_ = 0, count_ = 0;
};

}  // namespace memprof
