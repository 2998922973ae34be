// A driver that ran out of heap: the action of the user's program that filled it. Pure functions.
#pragma once

#include <string>

#include "budget/budget.h"
#include "report/driver_model.h"
#include "report/model.h"

namespace memprof {

// "collect at job.py:22 had brought 45.7 MiB in 8 tasks (200,000 rows of 239 B each, serialised)"
std::string BroughtPhrase(const ReportAction& action);

// Adds the action to the death, the sizes of its stages' results to `how`, and what to do instead before all other advice.
void PutAction(const ReportAction& action, const SparkSettings& settings, ReportPostMortem& death);

// What to do instead of collecting or broadcasting so much. `settings`: null if they are not known.
ReportAdvice AdviseAgainst(const ReportAction& action, const SparkSettings* settings = nullptr);

// The serialised results of all of the action's tasks, if the missing ones are like those that arrived; of its broadcasts where
// these are more.
uint64_t ExpectedResults(const ReportAction& action);

// Whether its results may be a tenth of the driver's heap. Rows of a query are counted packed, and LZ4, Spark's default, packs 255 bytes
// into one at most; an object of the JVM's may take sixteen times its serialised bytes. Hardly any rows are packed so well: more than
// sixteen times is only believed where the heap has shown results. `heap_bytes`: 0: not known, Spark's default.
bool MayFill(uint64_t heap_bytes, const ReportAction& action, bool has_shown_results = false);

// Whether results asked for memory when there was none, or a tenth of the heap was made for them. `retained`: null: not known.
bool ShowsResults(const ReportPostMortem& death, const ReportRetained* retained, uint64_t heap_bytes);

// Nine tenths of what the heap held are known by call site, and next to nothing of that is results. `retained`: all of it; null: not known.
bool HeldOtherThings(const ReportPostMortem& death, const ReportRetained* retained);

// "; count at job.py:7 ran then, but 2.0 KiB of results don't fill a heap"
std::string BesidePhrase(const ReportAction& action);
// "; count at job.py:7 ran then, but what the heap held was not made for results"
std::string OthersPhrase(const ReportAction& action);

}  // namespace memprof
