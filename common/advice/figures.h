// The measured figures that several rules use. Bytes; pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advice/advice.h"

namespace memprof {

inline constexpr double kHeadroom = 1.1;  // 10 % over what was measured

// Python workers together, with the programs that something there has started: the largest sum measured at one moment, or, where it is
// more, what they had requested when they died, touched or not.
struct PythonAtOnce {
  enum class By : uint8_t {
    kResident,
    kSites,             // live blocks
    kResidentAndSites,  // live blocks of the worker that died, the others' resident memory
  };
  uint64_t bytes = 0;
  uint64_t programs = 0;            // of it, in other programs
  uint64_t of_driver = 0;           // of it, in the driver's own process: in local mode, and whatever tasks run
  uint64_t tasks = 0;               // that they worked for: where there are more workers than cores, a task had several
  std::vector<uint64_t> by_worker;  // largest first; the rest of `bytes` is shared by all
  By by = By::kResident;

  size_t workers() const { return by_worker.size(); }
};
PythonAtOnce LargestPythonSum(const AdviceInput& input);
// Without what they had only requested, as beside a heap that ran out: nobody died there in the middle of filling a block.
PythonAtOnce ResidentPythonSum(const AdviceInput& input);
// What so many of its tasks held, the largest ones: which tasks run at once is luck. Without the driver's own.
uint64_t BytesOfTasks(const PythonAtOnce& python, uint64_t tasks);
std::string EachPhrase(const PythonAtOnce& python);  // "480.0 MiB each"

uint64_t JvmResident(const AdviceInput& input);  // at the last sample
uint64_t JvmNative(const AdviceInput& input);    // the part that is neither heap nor what Spark's off-heap budget was used for
uint64_t BudgetOf(const ReportExecutor& executor, std::string_view region);
uint64_t BudgetOf(const AdviceInput& input, std::string_view region);
uint64_t SparksOffHeap(const AdviceInput& input);  // in use of its budget at the last sample, or what was granted if that isn't known
uint64_t LastOf(const AdviceInput& input, std::string_view region);  // at the last sample; 0: not known

// With a heap that has grown to its size, which it may do later, and Spark's off-heap memory as it was at the last sample.
struct JvmSize {
  uint64_t bytes = 0;
  bool grows = false;  // it had not grown so far
};
JvmSize JvmAtMost(const AdviceInput& input);

// spark.executor.pyspark.memory, or what the executor's ResourceProfile has, which bounds its workers wherever it runs
// (DAGScheduler.addPySparkConfigsToProperties); 0: not set.
uint64_t PysparkMemorySetting(const AdviceInput& input);

std::string TextOr(const SparkSettings* settings, const char* key, const char* otherwise);  // a setting as it stands

// A setting in bytes; `otherwise` where it is not set, or Spark would refuse it. `unit`: of a number without a suffix.
uint64_t SizeOr(const SparkSettings* settings, const char* key, uint64_t unit, uint64_t otherwise);

// A heap as its setting has it, where the JVM runs with that: some collectors leave a part of it out of their maximum. Otherwise as it
// runs.
struct HeapSize {
  uint64_t bytes = 0;
  bool as_set = true;
};
HeapSize HeapAsSet(const SparkSettings* settings, const char* key, std::optional<uint64_t> heap_max_bytes);

// "; the driver's JVM didn't get what is set: …" where spark.driver.memory is set too late, such as by the program itself; else "".
std::string NotTakenPhrase(const SparkSettings* settings, const HeapSize& heap);

// A whole number; `otherwise` where it is not set, 0 where it is no number.
uint64_t NumberOr(const SparkSettings* settings, const char* key, uint64_t otherwise);

// "1.9 GiB (4 workers at once)".
std::string PythonPhrase(const PythonAtOnce& python);

// "; how much more they wanted is not known, for no task of their stage has ended that was measured: if it dies again, ": of workers that a
// full container ended. `or_else`: what to do then. "" where the needs of ended tasks are known, or none ran.
std::string StillWanted(const AdviceInput& input, std::string_view or_else);

// No container bounded it: the limit is the host's memory.
bool LimitIsHosts(const AdviceInput& input);

uint64_t TaskCpus(const AdviceInput& input);                  // cores that each task takes: spark.task.cpus, or its ResourceProfile's
std::optional<uint64_t> TaskSlots(const AdviceInput& input);  // how many tasks the executor's cores run at once

// How many times the median of its finished peers the task held or allocated; nullopt: too few are known.
struct AgainstPeers {
  double times = 0;
  uint64_t median = 0;
};
inline constexpr double kFarMore = 3;  // from here on it is out of the ordinary
std::optional<AgainstPeers> TaskAgainstPeers(const AdviceInput& input);

// Fewer at once don't help where one task alone fits, or one allocated far more than each of those that ran.
uint64_t TasksThatShareHeap(const AdviceInput& input);
bool OneTaskAllocatedFarMore(const AdviceInput& input);
uint64_t MostAllocatedBeside(const AdviceInput& input);  // by a task other than the first; heap_by_task has two or more

// The container was full, and its limit is one that executors share. What a manager grants is each one's own ("container").
bool FilledSharedLimit(const AdviceInput& input);

// Whether what Spark requests is what sets this limit: one of its own with an overhead in it, at most twice as large, for YARN rounds up.
// LimitIsAsRequested: by an executor's settings; never the driver's.
bool SettingsSizeLimit(const ReportExecutor& executor, uint64_t limit_bytes);
bool LimitIsAsRequested(const ReportExecutor& executor, uint64_t limit_bytes);

// The container's use when it died, or its processes' sum where that is more.
uint64_t UsedInAll(const AdviceInput& input);

// Of other processes than the JVM, in swap at the most: it is in none of the other figures.
uint64_t InSwap(const AdviceInput& input);

// What its own cgroup counted beyond the processes that are measured, at the last sample: files in tmpfs (/dev/shm, memory volumes), the
// kernel's own (slab), other processes. 0 where another limit counts, and below a twentieth of the limit: page tables and the like.
uint64_t OfNoProcess(const AdviceInput& input);

uint64_t WithHeadroom(uint64_t bytes);
std::string SparkSize(uint64_t bytes);  // "2300m": whole MiB, rounded up

}  // namespace memprof
