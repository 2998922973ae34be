// Threads that nobody has named ("Thread-4"), by what they run. Thread-safe (no state). Uses JVMTI on the current thread; not for GC
// callbacks.
#pragma once

#include <jvmti.h>

#include <string_view>

namespace memprof {

// The service of the current thread, which has no name of its own: "Py4J" for one that serves the driver's Python program, whose every
// call of the JVM it executes; "" for any other.
std::string_view ServiceOfUnnamedThread(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace memprof
