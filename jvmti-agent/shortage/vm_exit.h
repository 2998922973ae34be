// Sees the JVM's own exit on an OutOfMemoryError (-XX:+ExitOnOutOfMemoryError). JVMTI does not report it: the JVM exits before the event
// ResourceExhausted, and runs no shutdown hook. So libjvm's calls of exit() and _exit() are redirected (hooking/got_patcher.h). Calls
// with HotSpot's exit code for this case, by a Java thread that is inside the JVM, are reported first. All others pass through.
//
// Inside the JVM neither JNI nor JVMTI may be called. But where HotSpot reports the error, it is about to post an event, so the
// thread may change to the state "in native code" there. We set that state in HotSpot's own field, which is found by the table
// that it exports for debuggers. The thread never returns into the JVM. (docs/decisions/0308)
//
// If anything isn't as expected (another JVM, no table), nothing is redirected, and the JVM exits as usual.
#pragma once

#include <jni.h>

#include <chrono>

#include "base/status.h"

namespace memprof {

// Called once, on the thread that ran out of memory; JNI and JVMTI may be called. It must return soon: the JVM exits after
// MostExit() in any case.
using OutOfMemoryExit = void (*)(JNIEnv* jni);

// Six seconds × the last call's `patience`.
std::chrono::seconds MostExit();

// Call on a Java thread in native code. `told` is taken from the first call. After an exit was reported, none is reported again until
// the next call. `patience`: factor on the time that the JVM takes at the most, for a busy machine.
Status WatchOutOfMemoryExit(JavaVM* vm, JNIEnv* jni, OutOfMemoryExit told, int patience);

// For a thread that ends the JVM, or the profiler, in another way: returns at once, unless another thread is reporting its exit
// as above. Then it never returns, because without us the JVM would already have ended with that thread's exit.
void LetOutOfMemoryExitEnd();

}  // namespace memprof
