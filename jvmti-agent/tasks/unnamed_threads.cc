#include "tasks/unnamed_threads.h"

#include "stacks/jvmti_memory.h"
#include "stacks/thread_name.h"

namespace memprof {
namespace {

// Thread.run, since JDK 19 Thread.runWith, and then the thread's own Runnable (py4j.ClientServerConnection, py4j.GatewayConnection). What
// that calls may be Py4J's, too, in a thread of anybody's: a Runnable that is a Python object.
constexpr jint kOutermost = 3;

// "Lpy4j/ClientServerConnection;"; "" if it is not told.
std::string ClassOf(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method) {
  jclass holder = nullptr;
  if (jvmti->GetMethodDeclaringClass(method, &holder) != JVMTI_ERROR_NONE) return {};
  JvmtiMemory<char> signature(jvmti);
  const bool known = jvmti->GetClassSignature(holder, signature.target(), nullptr) == JVMTI_ERROR_NONE && signature.get() != nullptr;
  if (jni != nullptr) jni->DeleteLocalRef(holder);
  return known ? signature.get() : "";
}

}  // namespace

std::optional<std::string_view> ServiceOfUnnamedThread(jvmtiEnv* jvmti, JNIEnv* jni) {
  jvmtiFrameInfo frames[kOutermost];
  jint count = 0;
  if (jvmti->GetStackTrace(nullptr, -kOutermost, kOutermost, frames, &count) != JVMTI_ERROR_NONE) return std::nullopt;  // it has fewer
  for (jint i = count - 1; i >= 0; --i) {
    const std::string holder = ClassOf(jvmti, jni, frames[i].method);
    if (holder != "Ljava/lang/Thread;") return holder.starts_with("Lpy4j/") ? "Py4J" : "";
  }
  return "";
}

std::string NameOfThisThread(jvmtiEnv* jvmti, JNIEnv* jni) {
  std::string name = ThreadName(jvmti, jni, nullptr);
  if (name != kUnnamedThread) return name;
  const std::string_view service = ServiceOfUnnamedThread(jvmti, jni).value_or("");
  return service.empty() ? name : std::string(service);
}

}  // namespace memprof
