// A numeric library as users have them: it answers a small question and hides a large scratch buffer.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace {

// A size that nobody else allocates, so that the report can be held against it.
constexpr size_t kScratchBytes = 411'041'797;

double Fold(const double* values, const double* weights, size_t count, const unsigned char* scratch) {
  double sum = 0, weight = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += values[i] * weights[i];
    weight += weights[i];
  }
  // The scratch holds ones: reading it back keeps the compiler from dropping it.
  return weight == 0 ? 0 : sum / weight * scratch[count % kScratchBytes];
}

}  // namespace

extern "C" {

uint64_t weighted_average_scratch_bytes() { return kScratchBytes; }

// values, weights: arrays of `count` doubles. Returns Σ value·weight / Σ weight, 0 without weight.
double weighted_average(const double* values, const double* weights, size_t count) {
  std::unique_ptr<unsigned char[]> scratch(new unsigned char[kScratchBytes]);
  std::memset(scratch.get(), 1, kScratchBytes);
  return Fold(values, weights, count, scratch.get());
}
}
