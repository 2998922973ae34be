// NativeNames: what the naming thread has found about native frames, for code that builds a profile. A frame is (module path,
// build id, offset of its return address). At most kMaxBytes of names; beyond that the cache is emptied. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "symbols/source_call.h"

namespace memprof {

struct NativeFrame {
  std::string module, build_id;
  uint64_t offset = 0;
  bool operator==(const NativeFrame&) const = default;
};

struct NativeFrameHash {
  size_t operator()(const NativeFrame& frame) const {
    const std::string& name = frame.build_id.empty() ? frame.module : frame.build_id;
    return std::hash<std::string>()(name) ^ (frame.offset * 0x9E3779B97F4A7C15u);
  }
};

class NativeNames {
 public:
  static constexpr size_t kMaxBytes = 4u << 20;

  // One call without a function when its module has no name for it; nothing when it was not looked up yet.
  std::optional<SourceCalls> Find(const NativeFrame& frame) const;
  void Put(const NativeFrame& frame, SourceCalls calls);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<NativeFrame, SourceCalls, NativeFrameHash> names_;
  size_t bytes_ = 0;
};

}  // namespace memprof
