// The first sentence of a report, and how close a container came to its limit. These words are part of the model (docs/report.md), so all
// views show the same. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/model.h"

namespace memprof {

// How bad something is: kPlain says that nothing is known to be good or bad.
enum class Tone { kPlain, kGood, kWarn, kBad };
const char* ToneWord(Tone tone);  // "plain", "good", "warn", "bad"

struct ReportVerdict {
  Tone tone = Tone::kPlain;
  std::string sentence;  // who died, or who came closest to its limit
  std::string because;   // how that is known, or what to look at
};
ReportVerdict VerdictOf(const Report& report);

// A sentence that the driver is not measured, so its own death would not be seen, and how to change that; "": it is measured, or there
// is no driver.
std::string UnmeasuredDriver(const Report& report);

// What a container used at its peak, as a share of its limit; -1 when either is unknown.
double UseOf(const ReportExecutor& executor);

// Resident pages of the heap, as the JVM measured itself. Committed memory may have no pages yet.
std::optional<uint64_t> ResidentHeap(const ReportExecutor& executor);

// kWarn from 85 % of the limit; kBad from 97 % of one that is enforced; kPlain below, or when it is unknown. A container that was made
// for a heap, which grows no further, is close to its limit only if the rest of its use is close to what the heap leaves of it, or from
// 97 % in all on.
Tone ToneOf(const ReportExecutor& executor);

Tone ToneOf(const ReportPostMortem& death);           // kBad: memory was the cause; otherwise kWarn
Tone ToneOf(const ReportDistribution& distribution);  // kWarn: the largest is three times the median or more; otherwise kPlain

// "cgroup limit", "requested, not enforced", … ; "" when unknown.
std::string LimitPhrase(const ReportExecutor& executor);

}  // namespace memprof
