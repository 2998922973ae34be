// What a Java thread is called, without numbers (class_names.h).
#pragma once

#include <jvmti.h>

#include <string>

namespace memprof {

// `thread` null: the current one. "": not known.
std::string ThreadName(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);

}  // namespace memprof
