// Names of counters that more than one library knows. Behind the colon is a thread's bucket (jvmti-agent/tasks/thread_buckets.h),
// or the function that a Python thread runs.
#pragma once

namespace memprof {

inline constexpr char kNoTaskHeapBytes[] = "noTaskHeapBytes: ", kNoTaskOffHeapBytes[] = "noTaskOffHeapBytes: ",
                      kNoTaskNativeBytes[] = "noTaskNativeBytes: ", kNoTaskPythonBytes[] = "noTaskPythonBytes: ";
inline constexpr char kOtherThreads[] = "other threads";  // in the place of a name: those beyond the first ones

}  // namespace memprof
