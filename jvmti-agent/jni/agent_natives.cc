// The natives of org.sparkmemprof.jni.NativeAgent. They only convert: the work is Agent's, which lets no exception out;
// a conversion that runs out of memory gives null or nothing.
#include <jni.h>

#include "agent/agent.h"
#include "jni/convert.h"
#include "jni/or_else.h"

namespace memprof {
namespace {

jbyteArray Bytes(JNIEnv* jni, const std::string& bytes) { return bytes.empty() ? nullptr : ToJavaBytes(jni, bytes); }

size_t Bound(jint max_bytes) { return max_bytes < 0 ? 0 : static_cast<size_t>(max_bytes); }

}  // namespace
}  // namespace memprof

using namespace memprof;  // the names below are the JVM's

extern "C" {

JNIEXPORT jstring JNICALL Java_org_sparkmemprof_jni_NativeAgent_version(JNIEnv* jni, jclass) {
  return OrElse<jstring>(nullptr, [&] { return ToJavaString(jni, MEMPROF_VERSION); });
}

JNIEXPORT jstring JNICALL Java_org_sparkmemprof_jni_NativeAgent_start(JNIEnv* jni, jclass, jstring application_id, jstring executor_id,
                                                                      jstring host, jstring box_directory, jobjectArray options) {
  return OrElse<jstring>(nullptr, [&]() -> jstring {
    const StartRequest request = {ToUtf8(jni, application_id), ToUtf8(jni, executor_id), ToUtf8(jni, host), ToUtf8(jni, box_directory),
                                  ToStrings(jni, options)};
    const std::optional<std::string> reason = Agent::Get().Start(jni, request);
    return reason ? ToJavaString(jni, *reason) : nullptr;
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeAgent_taskStarted(JNIEnv*, jclass, jlong task_attempt_id, jint stage_id,
                                                                         jint stage_attempt, jint partition, jint attempt_number) {
  Agent::Get().TaskStarted({task_attempt_id, stage_id, stage_attempt, partition, attempt_number});
}

JNIEXPORT jbyteArray JNICALL Java_org_sparkmemprof_jni_NativeAgent_taskClosed(JNIEnv* jni, jclass, jlong task_attempt_id, jint max_bytes) {
  return OrElse<jbyteArray>(nullptr, [&] { return Bytes(jni, Agent::Get().TaskClosed(task_attempt_id, Bound(max_bytes))); });
}

JNIEXPORT jbyteArray JNICALL Java_org_sparkmemprof_jni_NativeAgent_taskSnapshot(JNIEnv* jni, jclass, jlong task_attempt_id,
                                                                                jint max_bytes) {
  return OrElse<jbyteArray>(nullptr, [&] { return Bytes(jni, Agent::Get().TaskSnapshot(task_attempt_id, Bound(max_bytes))); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeAgent_sparkMemory(JNIEnv*, jclass, jlong storage_used, jlong execution_used,
                                                                         jlong heap_used, jlong heap_max, jlong heap_committed) {
  const auto bytes = [](jlong value) { return value < 0 ? 0 : static_cast<uint64_t>(value); };
  Agent::Get().SparkMemory({bytes(storage_used), bytes(execution_used), bytes(heap_used), bytes(heap_max), bytes(heap_committed)});
}

JNIEXPORT jbyteArray JNICALL Java_org_sparkmemprof_jni_NativeAgent_takeMessage(JNIEnv* jni, jclass, jlong timeout_millis) {
  return OrElse<jbyteArray>(nullptr, [&] { return Bytes(jni, Agent::Get().TakeMessage(timeout_millis)); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeAgent_stop(JNIEnv*, jclass) { Agent::Get().Stop(); }
}
