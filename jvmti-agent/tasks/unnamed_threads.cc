#include "tasks/unnamed_threads.h"

#include "stacks/jvmti_memory.h"

namespace memprof {
namespace {

// Thread.run, since JDK 19 Thread.runWith, and then the thread's own Runnable (py4j.ClientServerConnection, py4j.GatewayConnection).
constexpr jint kOutermost = 3;

bool IsOf(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method, std::string_view package) {
  jclass holder = nullptr;
  if (jvmti->GetMethodDeclaringClass(method, &holder) != JVMTI_ERROR_NONE) return false;
  JvmtiMemory<char> signature(jvmti);
  const bool known = jvmti->GetClassSignature(holder, signature.target(), nullptr) == JVMTI_ERROR_NONE && signature.get() != nullptr;
  const bool is = known && std::string_view(signature.get()).starts_with(package);
  jni->DeleteLocalRef(holder);
  return is;
}

}  // namespace

std::string_view ServiceOfUnnamedThread(jvmtiEnv* jvmti, JNIEnv* jni) {
  jvmtiFrameInfo frames[kOutermost];
  jint count = 0;
  if (jvmti->GetStackTrace(nullptr, -kOutermost, kOutermost, frames, &count) != JVMTI_ERROR_NONE) return {};  // it has fewer frames
  for (jint i = 0; i < count; ++i) {
    if (IsOf(jvmti, jni, frames[i].method, "Lpy4j/")) return "Py4J";
  }
  return {};
}

}  // namespace memprof
