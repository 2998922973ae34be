#include "facts/figures.h"

#include <algorithm>

namespace memprof {
namespace {

uint64_t SumOfMeasured(uint64_t a, uint64_t b) {
  if (a == kUnmeasured) return b;
  return b == kUnmeasured ? a : a + b;
}

uint64_t LargestMeasured(uint64_t a, uint64_t b) {
  if (a == kUnmeasured) return b;
  return b == kUnmeasured ? a : std::max(a, b);
}

// What belongs to the larger resident figure; of two equal ones the larger part.
uint64_t LaterOfLarger(const SiteFigures& a, const SiteFigures& b) {
  const uint64_t of_a = a.resident_at_peak_bytes + 1, of_b = b.resident_at_peak_bytes + 1;  // 0: not measured
  if (of_a == of_b) return std::max(a.resident_later_bytes, b.resident_later_bytes);
  return of_a > of_b ? a.resident_later_bytes : b.resident_later_bytes;
}

double SumOfKnown(double a, double b) { return a < 0 || b < 0 ? kUnknownVariance : a + b; }

}  // namespace

bool IsResidentInPart(const SiteFigures& figures) {
  if (figures.resident_in_part) return true;
  if (figures.resident_at_peak_bytes == kUnmeasured || figures.live_at_peak_bytes == kUnmeasured) return false;
  return figures.read_at_peak_bytes < figures.live_at_peak_bytes - figures.live_at_peak_bytes / 100;
}

std::optional<uint64_t> ResidentLater(const SiteFigures& figures) {
  if (figures.resident_at_peak_bytes == kUnmeasured || figures.resident_later_bytes == 0) return std::nullopt;
  return figures.resident_later_bytes;
}

std::optional<uint64_t> KeptBytes(const SiteFigures& figures) {
  if (figures.live_at_peak_bytes == kUnmeasured || figures.live_at_end_bytes == kUnmeasured) return std::nullopt;
  return std::min(figures.live_at_peak_bytes, figures.live_at_end_bytes);
}

void AddWithinTask(const SiteFigures& other, SiteFigures& figures) {
  figures.allocated_bytes += other.allocated_bytes;
  figures.allocations += other.allocations;
  figures.live_at_peak_bytes = SumOfMeasured(figures.live_at_peak_bytes, other.live_at_peak_bytes);
  figures.resident_at_peak_bytes = SumOfMeasured(figures.resident_at_peak_bytes, other.resident_at_peak_bytes);
  figures.read_at_peak_bytes += other.read_at_peak_bytes;
  figures.resident_later_bytes += other.resident_later_bytes;
  figures.live_at_end_bytes = SumOfMeasured(figures.live_at_end_bytes, other.live_at_end_bytes);
  figures.variance = SumOfKnown(figures.variance, other.variance);
  figures.peak_variance = SumOfKnown(figures.peak_variance, other.peak_variance);
  figures.sampled = figures.sampled || other.sampled;
  figures.tasks = std::max(figures.tasks, other.tasks);
}

void AddOverTasks(const SiteFigures& other, SiteFigures& figures) {
  figures.resident_in_part = IsResidentInPart(figures) || IsResidentInPart(other);
  figures.allocated_bytes += other.allocated_bytes;
  figures.allocations += other.allocations;
  figures.variance = SumOfKnown(figures.variance, other.variance);
  if (other.live_at_peak_bytes != kUnmeasured) {
    // The error that belongs to the larger figure; of two equal ones the larger (or unknown) error.
    bool larger = figures.live_at_peak_bytes == kUnmeasured || other.live_at_peak_bytes > figures.live_at_peak_bytes;
    if (larger) {
      figures.peak_variance = other.peak_variance;
    } else if (other.live_at_peak_bytes == figures.live_at_peak_bytes) {
      bool unknown = other.peak_variance < 0 || figures.peak_variance < 0;
      figures.peak_variance = unknown ? kUnknownVariance : std::max(figures.peak_variance, other.peak_variance);
    }
  }
  figures.live_at_peak_bytes = LargestMeasured(figures.live_at_peak_bytes, other.live_at_peak_bytes);
  figures.resident_later_bytes = LaterOfLarger(figures, other);
  figures.resident_at_peak_bytes = LargestMeasured(figures.resident_at_peak_bytes, other.resident_at_peak_bytes);
  figures.read_at_peak_bytes = std::max(figures.read_at_peak_bytes, other.read_at_peak_bytes);
  figures.live_at_end_bytes = LargestMeasured(figures.live_at_end_bytes, other.live_at_end_bytes);
  figures.sampled = figures.sampled || other.sampled;
  figures.tasks += other.tasks;
}

}  // namespace memprof
