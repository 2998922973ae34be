// CountingMemory: the memory resource of everything the store keeps, so that its size is measured and not estimated. Counts what
// malloc takes for a block (16 bytes of header and rounding). Not thread-safe: used under the store's mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

namespace memprof {

class CountingMemory final : public std::pmr::memory_resource {
 public:
  uint64_t bytes() const { return bytes_; }

 private:
  static uint64_t Footprint(size_t size) { return ((size + 15) & ~size_t{15}) + 16; }

  void* do_allocate(size_t size, size_t alignment) override {
    void* block = std::pmr::new_delete_resource()->allocate(size, alignment);
    bytes_ += Footprint(size);
    return block;
  }
  void do_deallocate(void* block, size_t size, size_t alignment) override {
    bytes_ -= Footprint(size);
    std::pmr::new_delete_resource()->deallocate(block, size, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  uint64_t bytes_ = 0;
};

}  // namespace memprof
