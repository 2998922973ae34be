// Threads that nobody has named ("Thread-4"), by what they run. Thread-safe (no state). Uses JVMTI on the current thread; not for GC
// callbacks.
#pragma once

#include <jvmti.h>

#include <optional>
#include <string>
#include <string_view>

namespace memprof {

// As NormalizedThreadName() has it.
inline constexpr std::string_view kUnnamedThread = "Thread-#";

// `jni` null: as for ThreadName().
//
// The service of the current thread, which has no name of its own: "Py4J" for one that serves the driver's Python program, whose every
// call of the JVM it executes; "" for any other. Absent: its stack doesn't tell, now.
std::optional<std::string_view> ServiceOfUnnamedThread(jvmtiEnv* jvmti, JNIEnv* jni);

// The current thread's name, or its service if it has none of its own.
std::string NameOfThisThread(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace memprof
