// Samples as a message. Each figure is stored as the difference to the one before: some 30 bytes for each sample, and up to 50 for the
// workers of an executor with many.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "proto/memprof.pb.h"
#include "timeline/time_sample.h"

namespace memprof {

inline constexpr size_t kMostSamplesOfMessage = 1024;

// Samples in the order of their times.
void PackSamples(std::span<const TimeSample> samples, proto::TimeLine* message);

// Null where the message contradicts itself; it is not trusted. Gauges of a later version are left out.
std::optional<std::vector<TimeSample>> UnpackSamples(const proto::TimeLine& message);

}  // namespace memprof
