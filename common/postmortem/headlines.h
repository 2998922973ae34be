// What happened, in one sentence for each kind of death, and how that is known. Pure.
#pragma once

#include <optional>
#include <string>

#include "advice/jvm_shortage.h"
#include "postmortem/heap_errors.h"
#include "postmortem/verdict.h"
#include "proto/memprof.pb.h"
#include "report/driver_model.h"
#include "report/model.h"

namespace memprof {

// `death` is complete except for its advice. `shortage`: the JVM's last error about a pool other than the heap; `error`: about
// its heap; `action`: what had filled a driver's heap.
std::string ExecutorHeadline(const ReportPostMortem& death, const Verdict& verdict, const ReportExecutor& executor,
                             const std::optional<JvmShortage>& shortage, const std::optional<proto::HeapShortage>& error,
                             const std::optional<ReportAction>& action);

// Of the driver's own Python, as its JVM saw it die: without what it held.
std::string DriversPythonHeadline(const ReportPostMortem& death, const Verdict& verdict);

// `signal`: the signal that it recorded as it died; 0: none.
std::string WorkerHeadline(const ReportPostMortem& death, const Verdict& verdict, int signal);

// "; averages.py:27 with_cpp held 773.5 MiB", "; earlier tasks had left 2.8 GiB at cache.py:8 remember": what held most, where that is a
// tenth of what was in use; else "".
std::string LargestPhrase(const ReportPostMortem& death);

// Of a task that failed because memory was refused. Precondition: `death` has its address space.
std::string RefusalHeadline(const ReportPostMortem& death);
std::string RefusalEvidence(const ReportAddressSpace& space);

// Of an OutOfMemoryError of the heap that the executor survived. `failed`: its task failed.
std::string SurvivedHeadline(const ReportPostMortem& death, const SurvivedHeapError& survived, bool failed,
                             const std::optional<ReportAction>& action);
std::string HeapErrorEvidence(const SurvivedHeapError& survived);

}  // namespace memprof
