// The JVM's own exit on an OutOfMemoryError (-XX:+ExitOnOutOfMemoryError), which JVMTI does not tell of: it comes before the event
// ResourceExhausted, and runs no shutdown hook. libjvm's calls of exit() and _exit() are redirected (hooking/got_patcher.h); those
// with HotSpot's code for it, by a Java thread that is inside the JVM, are told first. All others pass through.
//
// Inside the JVM neither JNI nor JVMTI may be called. Where HotSpot reports the error, though, it is about to post an event, and thus
// at a place at which a thread may become one in native code: that is what we make of it, in HotSpot's own field, found by the
// table that it exports for debuggers. The thread never returns into the JVM. (docs/decisions/0308)
//
// Where anything isn't as expected (another JVM, no table), nothing is redirected, and the JVM exits as it always did.
#pragma once

#include <jni.h>

#include "base/status.h"

namespace memprof {

// Called once, on the thread that ran out of memory, where JNI and JVMTI may be called. Must end soon: kMostExitSeconds later the JVM
// exits in any case.
using OutOfMemoryExit = void (*)(JNIEnv* jni);

inline constexpr int kMostExitSeconds = 6;

// Call on a Java thread in native code. The first call's `told` stays; further calls do nothing.
Status WatchOutOfMemoryExit(JavaVM* vm, JNIEnv* jni, OutOfMemoryExit told);

// For a thread that ends the JVM, or the profiler, in its own way: returns at once, unless another thread is being told as above. Then
// it never does, for the JVM would have ended with that thread's exit before this one came so far.
void LetOutOfMemoryExitEnd();

}  // namespace memprof
