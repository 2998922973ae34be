// Calls a function when the JVM has ended: after the shutdown hooks, or instead of them, as in a full heap and after Runtime.halt. Not
// if the JVM is killed, or ends itself because of a full heap (shortage/vm_exit.h).
#pragma once

#include <jni.h>

#include "base/status.h"

namespace memprof {

// `call` runs on the thread that ends the JVM; other threads of native code still run then. Of many calls only the first counts.
// kUnsupported: this JVM has no JVMTI of version 11 or later.
Status AtVmDeath(JNIEnv* jni, void (*call)());

}  // namespace memprof
