// How the JVM enters this library. Nothing here may fail: a value other than JNI_OK ends the JVM.
#include <jni.h>

#include "agent/agent.h"

extern "C" {

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  memprof::Agent::Get().OnLoad(vm, options);
  return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM* vm, char* options, void*) {
  memprof::Agent::Get().OnAttach(vm, options);
  return JNI_OK;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  memprof::Agent::Get().OnJniLoad(vm);
  return JNI_VERSION_1_8;
}
}
