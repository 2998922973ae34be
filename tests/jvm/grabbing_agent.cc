// An agent that takes heap sampling for itself, as profilers do. Stands in for another agent in the JVM. For tests.
#include <jvmti.h>

extern "C" __attribute__((visibility("default"))) jint JNICALL Agent_OnLoad(JavaVM* vm, char*, void*) {
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  jvmtiCapabilities wanted = {};
  wanted.can_generate_sampled_object_alloc_events = 1;
  return jvmti->AddCapabilities(&wanted) == JVMTI_ERROR_NONE ? JNI_OK : JNI_ERR;
}
