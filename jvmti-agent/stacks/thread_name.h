// What a Java thread is called, and whether the JVM made it for itself.
#pragma once

#include <jvmti.h>

#include <string>

namespace memprof {

// `thread` null: the current one. `jni` null: JNI must not be called now; the JVM's local references go with the native method that runs.
// "": not known.
std::string WholeThreadName(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);
// Likewise, without numbers (class_names.h).
std::string ThreadName(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);

// Whether the current thread was most likely made by the JVM for itself ("Notification Thread", "Finalizer"): it is of the outermost thread
// group, "system". main() and what it starts are of groups within. False where it is not known.
bool IsJvmsOwnThread(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace memprof
