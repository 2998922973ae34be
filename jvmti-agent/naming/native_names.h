// NativeNames: what the naming thread has found out about native frames, for whoever builds a profile. A frame is
// (module path, build id, offset of its return address). At most kMaxBytes of names; beyond that the cache starts anew.
// Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

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
  static constexpr size_t kMaxBytes = 16u << 20;

  // The function's name; "" when its module has none for it; nothing when nobody has looked yet.
  std::optional<std::string> Find(const NativeFrame& frame) const;
  void Put(const NativeFrame& frame, const std::string& function);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<NativeFrame, std::string, NativeFrameHash> names_;
  size_t bytes_ = 0;
};

}  // namespace memprof
