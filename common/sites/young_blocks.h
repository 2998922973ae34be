// YoungBlocks: of the large blocks that were allocated within the last kYoungNs, the newest kMost. Code that allocates a block and fills it
// needs no further allocation for that: a reading of its pages in between would show a block that is about to fill the container as
// untouched, and a kill would leave it so. Not thread-safe (the recorder's lock covers it). Callable from hooks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace memprof {

class YoungBlocks {
 public:
  static constexpr int64_t kYoungNs = 100'000'000;
  static constexpr uint64_t kUntouched = 16;  // less than one part in this many
  static constexpr size_t kMost = 8;

  // An earlier block at this address is gone.
  void Add(uintptr_t address, int64_t now_ns) {
    for (Block& block : blocks_) {
      if (block.address == address) block.address = 0;
    }
    blocks_[next_] = {address, now_ns};
    next_ = (next_ + 1) % kMost;
  }

  bool Has(uintptr_t address, int64_t now_ns) const {
    for (const Block& block : blocks_) {
      if (block.address == address && now_ns - block.born_ns < kYoungNs) return true;
    }
    return false;
  }

  // Whether a first reading says nothing: the block is young and nearly untouched.
  bool IsTooEarly(uintptr_t address, uint64_t size, uint64_t resident, int64_t now_ns) const {
    return resident < size / kUntouched && Has(address, now_ns);
  }

  // Visits the addresses of those that are young no more, each once.
  template <typename Visit>
  void TakeGrown(int64_t now_ns, Visit visit) {
    for (Block& block : blocks_) {
      if (block.address != 0 && now_ns - block.born_ns >= kYoungNs) visit(std::exchange(block.address, 0));
    }
  }

 private:
  struct Block {
    uintptr_t address = 0;  // 0: none
    int64_t born_ns = 0;
  };
  Block blocks_[kMost];
  size_t next_ = 0;
};

}  // namespace memprof
