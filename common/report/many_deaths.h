// Of more deaths than a report has room for: which ones have a post-mortem, and the short form of the others. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/model.h"

namespace memprof {

inline constexpr size_t kMaxPostMortems = 100, kMaxOtherDeaths = 10'000;  // of a report

// Indexes into `deaths`, in the order of the deaths.
struct ChosenDeaths {
  std::vector<size_t> shown;   // the newest, half of `most`, and of the others those that used most
  std::vector<size_t> others;  // all others
};
ChosenDeaths NewestAndLargest(size_t most, const std::vector<ReportPostMortem>& deaths);

ReportOtherDeath InShort(const ReportPostMortem& death);

// Newest first; returns how many there was no room for.
size_t SortAndBound(std::vector<ReportOtherDeath>& deaths);

// "3 more deaths"; where memory or results were refused, nobody need have died: "1 more refusal", "4 more deaths and refusals".
std::string MoreDeaths(uint64_t deaths, uint64_t survived);

// Keeps within the bounds of a report: a death without room among its post-mortems goes to its other deaths, unless it is there already,
// and none is in both. Returns how many are in neither.
size_t KeepWithinBounds(Report& report);

// Adds to the counter of deaths that are in neither list.
void CountDroppedDeaths(uint64_t deaths, Report& report);

}  // namespace memprof
