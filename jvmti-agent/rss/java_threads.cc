#include "rss/java_threads.h"

#include <optional>

#include "rss/hotspot_layout.h"

namespace memprof {
namespace {

// The address of this thread's JavaThread in HotSpot, from a field of java.lang.Thread; 0: not known.
uintptr_t CurrentJavaThread(JNIEnv* jni) {
  uintptr_t address = 0;
  jclass type = jni->FindClass("java/lang/Thread");
  jmethodID current = type == nullptr ? nullptr : jni->GetStaticMethodID(type, "currentThread", "()Ljava/lang/Thread;");
  jfieldID field = current == nullptr ? nullptr : jni->GetFieldID(type, "eetop", "J");
  jobject thread = field == nullptr ? nullptr : jni->CallStaticObjectMethod(type, current);
  if (thread != nullptr && jni->ExceptionCheck() == JNI_FALSE) address = static_cast<uintptr_t>(jni->GetLongField(thread, field));
  if (jni->ExceptionCheck() != JNI_FALSE) jni->ExceptionClear();
  jni->DeleteLocalRef(thread);
  jni->DeleteLocalRef(type);
  return address;
}

}  // namespace

Result<JavaThreads> JavaThreads::Find(JNIEnv* jni) {
  const auto unknown = [](const char* what) { return Status::Error(ErrorCode::kUnsupported, "this JVM doesn't show %s", what); };
  const std::optional<uint64_t> state_offset = ReadHotSpotLayout().thread_state;
  const uintptr_t thread = CurrentJavaThread(jni);
  if (!state_offset) return unknown("what a thread does");
  if (thread == 0) return unknown("its threads");
  constexpr intptr_t kLargestThread = 64 << 10;
  JavaThreads threads;
  threads.env_offset_ = static_cast<intptr_t>(reinterpret_cast<uintptr_t>(jni) - thread);
  threads.state_offset_ = *state_offset;
  if (threads.env_offset_ <= 0 || threads.env_offset_ > kLargestThread || *state_offset > kLargestThread || !threads.IsInNative(jni)) {
    return unknown("its threads as expected");
  }
  return threads;
}

}  // namespace memprof
