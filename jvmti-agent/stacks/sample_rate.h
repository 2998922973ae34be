// SampleRate: whether a thread samples often: kOften times within one window, once; then for good. A window of kWindowNs begins
// at the first sample after the one before. Plain data that works when zero-filled, for thread-local storage. Not thread-safe: it belongs
// to its thread. May be called wherever malloc may.
#pragma once

#include <cstdint>

namespace memprof {

class SampleRate {
 public:
  static constexpr uint32_t kOften = 8;
  static constexpr int64_t kWindowNs = 1'000'000'000;

  // Counts a sample. `now_ns`: monotonic.
  bool IsOften(int64_t now_ns) {
    if (samples_ >= kOften) return true;
    if (samples_ == 0 || now_ns - since_ns_ >= kWindowNs) {
      since_ns_ = now_ns;
      samples_ = 0;
    }
    return ++samples_ >= kOften;
  }

 private:
  int64_t since_ns_;
  uint32_t samples_;  // since then
};

}  // namespace memprof
