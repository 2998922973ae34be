#include "stacks/thread_name.h"

#include "stacks/class_names.h"

namespace memprof {

std::string WholeThreadName(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  jvmtiThreadInfo info = {};
  if (jvmti->GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE) return {};
  std::string name = info.name == nullptr ? std::string() : std::string(info.name);
  if (info.name != nullptr) jvmti->Deallocate(reinterpret_cast<unsigned char*>(info.name));
  if (jni != nullptr) {
    jni->DeleteLocalRef(info.thread_group);  // of null, too
    jni->DeleteLocalRef(info.context_class_loader);
  }
  return name;
}

std::string ThreadName(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) { return NormalizedThreadName(WholeThreadName(jvmti, jni, thread)); }

bool IsJvmsOwnThread(jvmtiEnv* jvmti, JNIEnv* jni) {
  jvmtiThreadInfo info = {};
  if (jvmti->GetThreadInfo(nullptr, &info) != JVMTI_ERROR_NONE) return false;
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(info.name));
  if (info.context_class_loader != nullptr) jni->DeleteLocalRef(info.context_class_loader);
  if (info.thread_group == nullptr) return false;
  jvmtiThreadGroupInfo group = {};
  const bool known = jvmti->GetThreadGroupInfo(info.thread_group, &group) == JVMTI_ERROR_NONE;
  jni->DeleteLocalRef(info.thread_group);
  if (!known) return false;
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(group.name));
  const bool is_outermost = group.parent == nullptr;
  if (!is_outermost) jni->DeleteLocalRef(group.parent);
  return is_outermost;
}

}  // namespace memprof
