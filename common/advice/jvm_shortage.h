// What a JVM ran out of, from the text of its OutOfMemoryError. Pure functions; any text is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memprof {

enum class JvmPool {
  kHeap,
  kDirectBuffers,  // -XX:MaxDirectMemorySize; Netty's own count of them is bounded by the same
  kMetaspace,      // -XX:MaxMetaspaceSize
  kClassSpace,     // -XX:CompressedClassSpaceSize, a part of Metaspace with a bound of its own
  kThreads,        // none could be made: a limit of threads or processes, seldom one of memory
  kArray,          // one array longer than a JVM's longest (2^31 - 1 entries, or a few less): nothing was full
  kOther,          // the text doesn't say
};

struct JvmShortage {
  JvmPool pool = JvmPool::kHeap;
  std::optional<uint64_t> asked_bytes, held_bytes, limit_bytes;  // where the text has them
  bool of_fetch = false;                                         // Netty had no room for blocks that other executors sent
  std::string asked_by{};  // "task 7 (stage 3)", "thread pool-#": the JVM's agent tells of it; "": it is the text of a task's error
};

// Only known messages of other pools, of which a JVM's agent hears. Any other text, or none, means the heap.
bool IsOfOtherPool(std::string_view message);

// By the message alone, without the error's class.
JvmPool PoolOf(std::string_view message);

// From an error as Spark reports it; nothing when it is no OutOfMemoryError of the JVM or of Netty.
std::optional<JvmShortage> ParseJvmShortage(std::string_view error);

}  // namespace memprof
