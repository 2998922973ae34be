#include "advice/collected_results.h"

#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "budget/driver.h"
#include "budget/memory_size.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr const char *kMaxResultSize = "spark.driver.maxResultSize", *kDriverMemory = "spark.driver.memory",
                     *kBroadcastThreshold = "spark.sql.autoBroadcastJoinThreshold",
                     *kAdaptiveThreshold = "spark.sql.adaptive.autoBroadcastJoinThreshold";  // of a running query; as the other if not set
constexpr uint64_t kReserved = 300 * kMib;                                                   // of the heap, by Spark for itself

std::string SumPhrase(const CollectedResults& results, uint64_t expected) {
  const uint64_t each = results.bytes / std::max<uint64_t>(results.tasks, 1);
  if (!AreMissing(results)) return FormatBytes(results.bytes);
  return fmt::format("{} tasks × {} each so far = {}", FormatCount(*results.partitions), FormatBytes(each), FormatBytes(expected));
}

// A threshold of Spark's that is -1 or 0.
bool IsOff(const SparkSettings* settings, const char* key) {
  return TextOr(settings, key, "").starts_with('-') || SizeOr(settings, key, 1, 1) == 0;
}

}  // namespace

bool AreMissing(const CollectedResults& results) { return results.partitions && *results.partitions > results.tasks; }

uint64_t HeapFor(uint64_t result_bytes) { return kReserved + 2 * result_bytes; }

uint64_t MaxResultBytes(const SparkSettings* settings) { return SizeOr(settings, kMaxResultSize, 1, kGib); }

uint64_t ExpectedBytes(const CollectedResults& results) {
  if (results.tasks == 0 || !AreMissing(results)) return results.bytes;
  return static_cast<uint64_t>(static_cast<double>(results.bytes) / static_cast<double>(results.tasks) *
                               static_cast<double>(*results.partitions));
}

ReportAdvice AdviseAgainstCollecting(const CollectedResults& results) {
  const uint64_t expected = ExpectedBytes(results);
  const std::string at = results.place.empty() ? "" : " at " + results.place;
  const bool adaptive = TextOr(results.settings, "spark.sql.adaptive.enabled", "") != "false" &&
                        !TextOr(results.settings, kAdaptiveThreshold, "").empty() && !IsOff(results.settings, kAdaptiveThreshold);
  if (results.broadcast && results.settings == nullptr) {
    return {"", "", "",
            fmt::format("the table that the query{} collects to broadcast it comes to {}: set {} to -1 (and {}, where it is set), and take "
                        "a broadcast() hint out",
                        at, SumPhrase(results, expected), kBroadcastThreshold, kAdaptiveThreshold)};
  }
  if (results.broadcast && !adaptive && IsOff(results.settings, kBroadcastThreshold)) {
    return {
        "", "", "",
        fmt::format("the table that the query{} collects to broadcast it comes to {}; automatic broadcasting is off, so a broadcast() hint "
                    "asks for it, or a join that can't be shuffled (without equal keys): take the hint out, or join by equal keys",
                    at, SumPhrase(results, expected))};
  }
  if (results.broadcast) {
    const bool adaptive_alone = IsOff(results.settings, kBroadcastThreshold);
    const std::string as_well = adaptive && !adaptive_alone ? fmt::format("{} must be -1, too, and ", kAdaptiveThreshold) : "";
    return {adaptive_alone ? kAdaptiveThreshold : kBroadcastThreshold,
            adaptive_alone ? TextOr(results.settings, kAdaptiveThreshold, "") : TextOr(results.settings, kBroadcastThreshold, "10m"), "-1",
            fmt::format("the table that the query{} collects to broadcast it comes to {}; without broadcasting it is shuffled, and no part "
                        "of it passes the driver ({}a broadcast() hint must go as well)",
                        at, SumPhrase(results, expected), as_well)};
  }
  const uint64_t percent = expected == 0 ? 0 : results.limit_bytes * 100 / expected;
  const std::string limit = percent >= 1 && percent < 100 ? fmt::format("; limit() to {} % of the rows would fit", percent) : "";
  const std::string against =
      results.limit_bytes == 0 ? "serialised, and to more as objects" : "against " + FormatBytes(results.limit_bytes);
  return {"", "", "",
          fmt::format("what is collected{} comes to {}, {}: write it to files (df.write) and read them where they are needed, or "
                      "aggregate or select before collecting{}",
                      at, SumPhrase(results, expected), against, limit)};
}

std::vector<ReportAdvice> AdviseCollectedResults(const CollectedResults& results) {
  const uint64_t expected = ExpectedBytes(results);
  const HeapSize heap = HeapAsSet(results.settings, kDriverMemory, results.heap_max_bytes);  // a JVM that runs doesn't grow by it
  std::vector<ReportAdvice> pieces{AdviseAgainstCollecting(results)};
  const uint64_t needed_heap = WithHeadroom(HeapFor(expected));
  const std::optional<Grant> most = LargestGrant(results.bounds);
  const uint64_t beside = BesideDriversHeap(results.bounds.settings, needed_heap);
  if (most && needed_heap > heap.bytes && needed_heap + beside > most->bytes) {
    pieces.push_back(
        {"", "", "",
         fmt::format(
             "no larger spark.driver.maxResultSize helps: all of them need a heap of at least {} and {} beside it; for the driver, {} {}",
             FormatBytes(needed_heap), FormatBytes(beside), most->by, FormatBytes(most->bytes))});
    return pieces;
  }
  pieces.push_back({kMaxResultSize, TextOr(results.settings, kMaxResultSize, "1g"), SparkSize(WithHeadroom(expected)),
                    fmt::format("{} + 10 % would pass; the driver then holds it serialised and as objects, at least {} of its heap of {}{}",
                                SumPhrase(results, expected), FormatBytes(2 * expected), FormatBytes(heap.bytes),
                                results.of_query ? "; rows of a query may be compressed, and take more when they are unpacked" : "")});
  if (needed_heap > heap.bytes) {
    const bool is_set = !TextOr(results.settings, kDriverMemory, "").empty();
    const bool is_enough = is_set && SizeOr(results.settings, kDriverMemory, kMib, 0) >= needed_heap;
    pieces.push_back({kDriverMemory, heap.as_set ? TextOr(results.settings, kDriverMemory, "1g") : SparkSize(heap.bytes),
                      is_enough ? TextOr(results.settings, kDriverMemory, "") : SparkSize(needed_heap),
                      fmt::format("with that {}: 2 × {} + Spark's reserve of {} + 10 %{}", kMaxResultSize, FormatBytes(expected),
                                  FormatBytes(kReserved), NotTakenPhrase(results.settings, heap))});
  }
  return pieces;
}

}  // namespace memprof
