// Names of counters that more than one library knows. Behind the colon is a thread's bucket (jvmti-agent/tasks/thread_buckets.h).
#pragma once

namespace memprof {

inline constexpr char kNoTaskHeapBytes[] = "noTaskHeapBytes: ", kNoTaskOffHeapBytes[] = "noTaskOffHeapBytes: ",
                      kNoTaskNativeBytes[] = "noTaskNativeBytes: ";

}  // namespace memprof
