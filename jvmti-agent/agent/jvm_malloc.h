// JvmMalloc: malloc of JNI libraries (malloc/library_malloc.h) as a part of the Agent, and who allocated the blocks that no running task
// holds. Thread-safe.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "agent/ground.h"
#include "agent/left_blocks.h"
#include "agent/options.h"
#include "malloc/library_malloc.h"
#include "offheap/block_tracker.h"

namespace memprof {

class JvmMalloc {
 public:
  JvmMalloc(Ground* ground, Names* names)
      : ground_(ground),
        blocks_(&TaskFigures::native, ThreadBuckets::Kind::kNative, &ground->tasks, &ground->buckets, &ground->stacks),
        left_(ground, names, &blocks_, &TaskFigures::native, &proto::Envelope::mutable_left_native) {}

  // Whatever prevents it is among the shortcomings.
  void Start(JNIEnv* jni, const AgentOptions& options);
  void Stop();
  void Forget();

  // A library may have been loaded.
  void LookForLibraries() { malloc_.LookForLibraries(); }

  LeftBlocks& left() { return left_; }
  std::optional<uint64_t> live_bytes() const {  // nothing: no library is watched
    return is_watched_ ? std::optional(blocks_.live_bytes()) : std::nullopt;
  }
  std::vector<AddressRange> BlocksFrom(uint64_t bytes) const { return blocks_.blocks().Larger(bytes); }
  uint64_t dropped_blocks() const { return blocks_.dropped_blocks(); }

 private:
  Ground* ground_;
  BlockTracker blocks_;
  LeftBlocks left_;
  LibraryMalloc malloc_{&blocks_};
  std::atomic<bool> is_watched_{false};
};

}  // namespace memprof
