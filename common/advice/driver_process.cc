#include "advice/driver_process.h"

#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "budget/memory_size.h"
#include "report/units.h"

namespace memprof {
namespace {

// A heap that grows to its size would not fit beside the rest. Nothing: it would, or less than half of it would be left.
std::optional<ReportAdvice> SmallerHeap(const DriverProcessDeath& death) {
  if (death.container) return std::nullopt;  // it would shrink with the heap
  if (!death.limit_bytes || !death.heap_max_bytes || !death.used_bytes || death.heap_resident_bytes == 0) return std::nullopt;
  if (*death.used_bytes <= death.heap_resident_bytes) return std::nullopt;  // figures of two moments
  const uint64_t used = std::max(*death.used_bytes, death.heap_resident_bytes + death.held_bytes);
  const uint64_t rest = WithHeadroom(used - std::min(used, death.heap_resident_bytes));
  const uint64_t heap = *death.heap_max_bytes, fits = *death.limit_bytes - std::min(*death.limit_bytes, rest);
  if (fits >= heap || fits < heap / 2) return std::nullopt;
  return ReportAdvice{"spark.driver.memory", SparkSize(heap), fmt::format("{}m", fits / kMib),
                      fmt::format("the heap may grow to {}, beside it {} + 10 % were in use, and the limit is {}", FormatBytes(heap),
                                  FormatBytes(used - death.heap_resident_bytes), FormatBytes(*death.limit_bytes))};
}

// Where there is to be more, and how much.
std::string MoreMemory(const DriverProcessDeath& death) {
  const uint64_t known = std::max(death.used_bytes.value_or(0), death.held_bytes);
  if (death.limit_is_unseen) {
    const std::string least = known == 0 ? "" : fmt::format(": {} + 10 % at least", FormatBytes(known));
    return fmt::format("a larger limit for the container around the driver, which can't be seen from inside{};", least);
  }
  // A killed process needed more than it had: some of its live blocks may not have been resident yet.
  const std::string least = FormatBytes(WithHeadroom(std::max(known, death.limit_bytes.value_or(0))));
  const std::string instead = death.limit_bytes ? fmt::format(" instead of {}", FormatBytes(*death.limit_bytes)) : "";
  if (!death.limit_is_hosts) return fmt::format("a memory limit of at least {} for the driver{}:", least, instead);
  return fmt::format(
      "no container limits the driver, so its machine ran out of memory: one with at least {}{}, or fewer other programs on it;", least,
      instead);
}

// What the process takes lies beside the heap, and so does the overhead. Nothing: no setting sizes its container.
std::optional<ReportAdvice> LargerContainer(const DriverProcessDeath& death) {
  if (!death.container || !death.limit_bytes || death.limit_is_hosts || death.limit_is_unseen) return std::nullopt;
  const DriversContainer& container = *death.container;
  const uint64_t needed = WithHeadroom(std::max({death.used_bytes.value_or(0), death.held_bytes, *death.limit_bytes}));
  const uint64_t more = needed - std::min(needed, container.requested_bytes);  // YARN rounds what is requested up
  const std::string grows =
      fmt::format("the driver's container grows from {} to at least {}, and all of that is for {}", FormatBytes(*death.limit_bytes),
                  FormatBytes(needed), death.of_python ? "its Python process" : "what its JVM takes beside the heap");
  if (container.grant && container.requested_bytes + more > container.grant->bytes) {
    return ReportAdvice{"", "", "",
                        fmt::format("a container of at least {} for the driver instead of {}, but {} {}", FormatBytes(needed),
                                    FormatBytes(*death.limit_bytes), container.grant->by, FormatBytes(container.grant->bytes))};
  }
  return ReportAdvice{"spark.driver.memoryOverhead", SparkSize(container.overhead_bytes), SparkSize(container.overhead_bytes + more),
                      grows};
}

}  // namespace

std::optional<DriversContainer> DriversContainerOf(const ReportExecutor& driver, const SparkSettings* settings) {
  const uint64_t overhead = BudgetOf(driver, "overhead"), requested = driver.requested_bytes.value_or(0);
  if (!driver.limit_bytes || driver.limit_source == "host" || !SettingsSizeLimit(driver, *driver.limit_bytes)) return std::nullopt;
  // Its own group is what would grow, so it bounds nothing.
  return DriversContainer{overhead, requested,
                          LargestGrant(GrantBounds{settings, true, driver.host_memory_bytes, std::nullopt, driver.host_is_group})};
}

std::vector<ReportAdvice> AdviseDriverProcess(const DriverProcessDeath& death) {
  if (death.of_host) {
    const std::string had = death.used_bytes ? fmt::format(", of which the driver had {}", FormatBytes(*death.used_bytes)) : "";
    const char* fewer = death.host_is_group
                            ? "fewer or smaller containers under the driver's NodeManager, or a larger limit for its control group: that of"
                            : "fewer executors or other programs on the driver's host, or smaller ones: its memory of";
    return {{"", "", "", fmt::format("{} {} ran short{}", fewer, FormatBytes(death.host_memory_bytes), had)}};
  }
  std::vector<ReportAdvice> pieces;
  if (death.of_python && death.held_bytes != 0) {
    pieces.push_back(
        {"", "", "",
         fmt::format("{} held {} in the driver: aggregate, select or limit() before toPandas, collect or to_numpy, or write to "
                     "files and read them where they are needed",
                     death.place, FormatBytes(death.held_bytes))});
  }
  if (std::optional<ReportAdvice> smaller = SmallerHeap(death)) pieces.push_back(*std::move(smaller));
  if (std::optional<ReportAdvice> larger = LargerContainer(death)) {
    pieces.push_back(*std::move(larger));
    return pieces;
  }
  pieces.push_back({"", "", "",
                    fmt::format("{} no setting of Spark bounds {}", MoreMemory(death),
                                death.of_python ? "its Python process" : "what its JVM takes beside the heap")});
  return pieces;
}

}  // namespace memprof
