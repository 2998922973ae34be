// ClassHistogram: the contents of a heap by class: bytes and objects of the largest classes and of the rest. All objects are
// counted, including unreachable ones; directly after a collection of the whole heap these are few.
//
// Taken by JVMTI (IterateThroughHeap), which allocates nothing in the heap and stops the world: about 0.1 s for a million
// objects. It counts for at most `bound` of CPU time, or twice that by the clock, and then says that it was cut short. The JVM
// still walks over the rest without calling us, which is ten times faster.
//
// Call only where JVMTI may be called. One at a time for each environment, whose object tags it uses and clears.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memprof {

struct ClassHistogram {
  struct Row {
    std::string name;  // "byte[]", "java.lang.String"
    uint64_t bytes = 0, objects = 0;
  };
  std::vector<Row> classes;  // most bytes first
  uint64_t other_classes = 0, other_bytes = 0;
  uint64_t total_bytes = 0, total_objects = 0;
  bool cut_short = false;
};

// `jvmti` needs can_tag_objects. Nothing when the JVM refuses.
std::optional<ClassHistogram> TakeClassHistogram(jvmtiEnv* jvmti, JNIEnv* jni, size_t most, std::chrono::milliseconds bound);

// "[[Ljava/lang/String;" -> "java.lang.String[][]", "[B" -> "byte[]".
std::string TypeNameOf(std::string_view jvm_signature);

}  // namespace memprof
