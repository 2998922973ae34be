// Natives of the JDK that this agent wraps: Unsafe's off-heap memory and Thread.start0.
//
// With -agentpath the JVM reports each native method that it binds (NativeMethodBind) and takes our address instead. In a running JVM
// they are bound already, and binding a method again to the same function makes no event. So a class of ours, defined in the boot
// loader (other loaders make the JVM print warnings), registers our wrappers as the natives, and then lets the JDK register its own
// again. Now the events come, with the original functions. A call in between waits in the wrapper for the original, a few
// microseconds. (docs/decisions/0302)
//
// The wrappers run as ordinary native methods and pass everything on; when the agent isn't running they do nothing else.
#pragma once

#include <jvmti.h>

#include "agent/jvm.h"
#include "base/shortcomings.h"

namespace memprof {

// For NativeMethodBind events: the wrapper goes to `*new_address` when the method is one of ours. `jni` may be null.
void OnNativeMethodBind(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method, void* address, void** new_address);

// Late load: binds the natives anew. Call on a Java thread. Leaves no exception pending.
void RebindJdkNatives(JNIEnv* jni, Jvm* jvm, Shortcomings* shortcomings);

// Records which natives were not bound through us: their memory is not seen.
void NoteUnboundNatives(Shortcomings* shortcomings);

}  // namespace memprof
