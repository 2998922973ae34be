// The gauges for Spark's metrics system while the application runs: single figures of the report. Pure functions of the store's
// state.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace memprof {

struct StoreState;

// As dropwizard names gauges; docs/report.md, "Metrics", says what each is.
inline constexpr std::array<std::string_view, 6> kMetricNames = {
    "executors",   "largestExecutorPeakBytes", "largestExecutorPeakPercentOfLimit", "largestPythonProcessPeakBytes", "leakingLines",
    "postMortems",
};

// In the order of kMetricNames; -1 = not measured (yet).
using MetricValues = std::array<int64_t, kMetricNames.size()>;
MetricValues MetricsOf(const StoreState& state);

}  // namespace memprof
