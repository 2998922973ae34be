// Incidents that Python processes recorded themselves: a fatal signal, or memory that was refused. Pure functions over a task's
// profile.
#pragma once

#include <string>
#include <vector>

#include "facts/facts.h"
#include "report/model.h"

namespace memprof {

// Null: it has recorded none.
const InternedIncident* FatalSignalOf(const TaskFacts& task, int32_t pid, uint64_t start_ticks);
const InternedIncident* RefusalOf(const TaskFacts& task, int32_t pid, uint64_t start_ticks);

// The refusal that made a task fail: its error is a MemoryError, in the words of any library, and memory was refused to it.
const InternedIncident* RefusalThatFailed(const TaskFacts& task, std::string_view error);

// Memory was refused so shortly before the signal that it is the cause of death: C++ and Rust programs abort then.
bool LedTo(const InternedIncident& refusal, const InternedIncident& signal);

ReportAddressSpace AddressSpaceOf(const InternedIncident& refusal);
// The request would have fitted if only resident memory counted.
bool ByReservationsOnly(const ReportAddressSpace& space);

// "crash_here (libx.so), called at job.py:17 enrich"; "" of no frames. The innermost native frame outside of libc, and the
// innermost Python line outside of installed packages.
std::string PlacePhrase(const std::vector<ReportFrame>& stack);

}  // namespace memprof
