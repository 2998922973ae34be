#include "gc/nearly_full.h"

#include <string_view>

namespace memprof {
namespace {

constexpr double kHigh = 0.9, kLow = 0.8;
constexpr std::string_view kG1Young = "G1 Young Generation";

}  // namespace

void NearlyFull::Reset() {
  const std::lock_guard lock(mutex_);
  in_a_row_ = 0;
  armed_ = true;
  told_ns_ = 0;
}

bool NearlyFull::Ended(const Collection& collection, int64_t now_ns) {
  const bool counts = MarksOf(collection.collector) != Marks::kNothing || collection.collector == kG1Young;
  if (!counts || collection.max_bytes == 0) return false;
  const double share = static_cast<double>(collection.after_bytes) / static_cast<double>(collection.max_bytes);
  const std::lock_guard lock(mutex_);
  in_a_row_ = share > kHigh ? in_a_row_ + 1 : 0;
  armed_ = armed_ || share < kLow;
  const bool too_soon = told_ns_ != 0 && now_ns - told_ns_ < kBetweenNs;
  if (in_a_row_ < kCollections || !armed_ || too_soon) return false;
  armed_ = false;
  told_ns_ = now_ns;
  return true;
}

}  // namespace memprof
