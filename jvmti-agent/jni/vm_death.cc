#include "jni/vm_death.h"

#include <jvmti.h>

#include <mutex>

namespace memprof {
namespace {

std::once_flag once;
void (*at_death)() = nullptr;

void JNICALL OnVmDeath(jvmtiEnv*, JNIEnv*) { at_death(); }

Status Enable(JNIEnv* jni) {
  JavaVM* vm = nullptr;
  jvmtiEnv* jvmti = nullptr;  // our own: the agent may not have been started
  if (jni->GetJavaVM(&vm) != JNI_OK || vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK) {
    return Status::Error(ErrorCode::kUnsupported, "this JVM has no JVMTI of version 11 or later");
  }
  jvmtiEventCallbacks callbacks = {};
  callbacks.VMDeath = OnVmDeath;
  if (jvmti->SetEventCallbacks(&callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
      jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, nullptr) != JVMTI_ERROR_NONE) {
    jvmti->DisposeEnvironment();
    return Status::Error(ErrorCode::kUnsupported, "this JVM does not tell of its end");
  }
  return {};
}

}  // namespace

Status AtVmDeath(JNIEnv* jni, void (*call)()) {
  Status status;
  std::call_once(once, [&] {
    at_death = call;
    status = Enable(jni);
  });
  return status;
}

}  // namespace memprof
