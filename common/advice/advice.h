// Advice after a death by memory. Each rule is a pure function from measured figures to one piece of advice, or nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "advice/cached_dataset.h"
#include "advice/jvm_shortage.h"
#include "budget/budget.h"
#include "report/model.h"

namespace memprof {

struct AdviceInput {
  const ReportExecutor* executor = nullptr;  // its budget and peaks
  const ReportPostMortem* death = nullptr;   // limit, processes and sites at the last sample
  const SparkSettings* settings = nullptr;   // may be null
  std::optional<ReportMoment> last;          // the executor's last sample: regions
  std::optional<uint64_t> spark_off_heap;    // by Spark's own account, within two seconds of `last`
  bool of_heap = false;                      // an OutOfMemoryError of the heap, not the container
  bool of_host = false;                      // the host's memory, most of which others used
  bool of_address_space = false;             // the cluster manager's bound on virtual memory
  std::optional<JvmShortage> shortage;       // what else a JVM that ended by an OutOfMemoryError ran short of
  size_t tasks_at_once = 0;                  // how many ran when it died
  std::vector<uint64_t> heap_by_task;        // allocated by each, first whose error it was; empty: not known, or not to be compared
  uint64_t result_bytes = 0;                 // serialised, that an action brings to the driver whose heap ran out, all tasks'
  uint64_t task_bytes = 0;                   // live at the last sample in the task that held most; without the next
  uint64_t once_bytes = 0;                   // of it, what is paid once for each worker, or of a heap for each executor
  std::vector<uint64_t> peer_bytes;          // of the finished tasks of the same stage, at their peaks, likewise without that
  CachedByMode cached;                       // in the executor, when it died
  std::set<std::string> udf_kinds;           // of what ran in its Python workers: "SQL_SCALAR_PANDAS_UDF"
};

// All advice that the rules give, the simplest first. Never empty.
std::vector<ReportAdvice> Advise(const AdviceInput& input);

// The rules, one file each.
std::optional<ReportAdvice> AdviseMemoryOverhead(const AdviceInput& input);  // Python and the JVM's native memory against the overhead
std::optional<ReportAdvice> AdviseExecutorMemory(const AdviceInput& input);  // a heap that one task filled, or the driver's
std::optional<ReportAdvice> AdviseExecutorCores(const AdviceInput& input);   // fewer tasks at once
std::optional<ReportAdvice> AdviseSplit(const AdviceInput& input);           // more, smaller executors: no larger one is granted
std::optional<ReportAdvice> AdviseOffHeap(const AdviceInput& input);         // Spark's off-heap memory that has no room in the limit
std::optional<ReportAdvice> AdviseCaching(const AdviceInput& input);         // a dataset that holds much of the full memory
std::optional<ReportAdvice> AdviseBroadcasts(const AdviceInput& input);      // broadcast variables that hold much of a full heap
std::optional<ReportAdvice> AdviseYarnPython(const AdviceInput& input);      // a region for Python that was not requested from YARN
std::optional<ReportAdvice> AdviseArrowBatch(const AdviceInput& input);      // batches that hold much of Python's memory
std::optional<ReportAdvice> AdviseFetchedBlocks(const AdviceInput& input);   // blocks of other executors beyond direct buffers
std::optional<ReportAdvice> AdviseJvmPools(const AdviceInput& input);        // direct buffers or classes beyond their bound
std::optional<ReportAdvice> AdvisePysparkMemory(const AdviceInput& input);   // an address space that was full
std::optional<ReportAdvice> AdviseLeftByTasks(const AdviceInput& input);     // what earlier tasks had left in reused workers
std::optional<ReportAdvice> AdviseSkew(const AdviceInput& input);            // one task that held far more than the others
std::optional<ReportAdvice> AdviseVirtualMemory(const AdviceInput& input);   // a bound of YARN's on address space
// Where no Spark setting helps. `or_fewer`: fewer tasks at once would, which is advised, too.
ReportAdvice AdviseContainerSize(const AdviceInput& input, bool or_fewer = false);
ReportAdvice AdviseFullHost(const AdviceInput& input);  // in its place, of a host that was full

}  // namespace memprof
