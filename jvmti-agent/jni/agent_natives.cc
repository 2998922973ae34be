// The natives of org.sparkmemprof.jni.NativeAgent. They only convert: the work is Agent's, which lets no exception out;
// a conversion that runs out of memory gives null or nothing.
#include <jni.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "budget/budget.h"
#include "budget/driver.h"
#include "jni/convert.h"
#include "jni/or_else.h"

namespace memprof {
namespace {

jbyteArray Bytes(JNIEnv* jni, const std::string& bytes) { return bytes.empty() ? nullptr : ToJavaBytes(jni, bytes); }

size_t Bound(jint max_bytes) { return max_bytes < 0 ? 0 : static_cast<size_t>(max_bytes); }

SparkSettings ToSettings(JNIEnv* jni, jobjectArray configuration) {
  const std::vector<std::string> texts = ToStrings(jni, configuration);
  SparkSettings settings;
  for (size_t i = 0; i + 1 < texts.size(); i += 2) settings.insert_or_assign(texts[i], texts[i + 1]);
  return settings;
}

std::optional<uint64_t> IfGiven(jlong mib) { return mib < 0 ? std::nullopt : std::optional(static_cast<uint64_t>(mib)); }

uint64_t NotNegative(jlong bytes) { return bytes < 0 ? 0 : static_cast<uint64_t>(bytes); }

}  // namespace
}  // namespace memprof

using namespace memprof;  // the names below are the JVM's

extern "C" {

JNIEXPORT jstring JNICALL Java_org_sparkmemprof_jni_NativeAgent_version(JNIEnv* jni, jclass) {
  return OrElse<jstring>(nullptr, [&] { return ToJavaString(jni, MEMPROF_VERSION); });
}

JNIEXPORT jlong JNICALL Java_org_sparkmemprof_jni_NativeAgent_grantedBytes(JNIEnv* jni, jclass, jobjectArray configuration, jlong heap_mib,
                                                                           jlong overhead_mib, jlong offheap_mib, jlong pyspark_mib) {
  return OrElse<jlong>(0, [&] {
    const SparkSettings settings = ToSettings(jni, configuration);
    BudgetInput input;
    input.settings = &settings;
    input.heap_mib = IfGiven(heap_mib);
    input.overhead_mib = IfGiven(overhead_mib);
    input.offheap_mib = IfGiven(offheap_mib);
    input.pyspark_mib = IfGiven(pyspark_mib);
    return static_cast<jlong>(GrantedBytes(input));
  });
}

JNIEXPORT jlong JNICALL Java_org_sparkmemprof_jni_NativeAgent_grantedToDriver(JNIEnv* jni, jclass, jobjectArray configuration) {
  return OrElse<jlong>(0, [&] { return static_cast<jlong>(GrantedToDriver(ToSettings(jni, configuration))); });
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
  return OrElse<jbyteArray>(nullptr, [&] { return Bytes(jni, Agent::Get().TaskClosed(jni, task_attempt_id, Bound(max_bytes))); });
}

JNIEXPORT jbyteArray JNICALL Java_org_sparkmemprof_jni_NativeAgent_taskSnapshot(JNIEnv* jni, jclass, jlong task_attempt_id,
                                                                                jint max_bytes) {
  return OrElse<jbyteArray>(nullptr, [&] {
    Agent::Get().NameFrames(jni);
    return Bytes(jni, Agent::Get().TaskSnapshot(task_attempt_id, Bound(max_bytes)));
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeAgent_sparkMemory(JNIEnv* jni, jclass, jlong storage_used, jlong execution_used,
                                                                         jlong heap_max, jlong heap_committed, jlong unroll) {
  Agent::Get().NameFrames(jni);
  SparkMemoryUse use = {NotNegative(storage_used), NotNegative(execution_used), NotNegative(heap_max), NotNegative(heap_committed)};
  if (unroll >= 0) use.unroll = static_cast<uint64_t>(unroll);
  Agent::Get().SparkMemory(use);
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeAgent_sparkPool(JNIEnv*, jclass, jboolean off_heap, jlong max, jlong storage_region,
                                                                       jlong storage_used, jlong execution_used, jlong storage_pool) {
  proto::PoolUse pool;
  pool.set_off_heap(off_heap == JNI_TRUE);
  pool.set_max_bytes(NotNegative(max));
  if (storage_region >= 0) pool.set_storage_region_bytes(static_cast<uint64_t>(storage_region));
  pool.set_storage_bytes(NotNegative(storage_used));
  pool.set_execution_bytes(NotNegative(execution_used));
  pool.set_storage_pool_bytes(NotNegative(storage_pool));
  Agent::Get().SparkPool(pool);
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeAgent_taskConsumers(JNIEnv* jni, jclass, jlong task_attempt_id, jobjectArray names,
                                                                           jlongArray on_heap_bytes, jlongArray off_heap_bytes) {
  OrElse(false, [&] {
    const std::vector<std::string> texts = ToStrings(jni, names);
    const std::vector<jlong> on_heap = ToLongs(jni, on_heap_bytes), off_heap = ToLongs(jni, off_heap_bytes);
    std::vector<ConsumerUse> consumers;
    for (size_t i = 0; i < std::min({texts.size(), on_heap.size(), off_heap.size()}); ++i) {
      consumers.push_back({texts[i], false, NotNegative(on_heap[i])});
      consumers.push_back({texts[i], true, NotNegative(off_heap[i])});
    }
    Agent::Get().TaskConsumers(task_attempt_id, consumers);
    return true;
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeAgent_taskMetrics(JNIEnv*, jclass, jlong task_attempt_id, jlong peak_execution,
                                                                         jlong memory_spilled, jlong disk_spilled) {
  Agent::Get().TaskMetrics(task_attempt_id, {NotNegative(peak_execution), NotNegative(memory_spilled), NotNegative(disk_spilled)});
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeAgent_collectors(JNIEnv* jni, jclass, jobjectArray names, jstring why) {
  OrElse<int>(0, [&] {
    Agent::Get().Collectors(ToStrings(jni, names), ToUtf8(jni, why));
    return 0;
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeAgent_collectionEnded(JNIEnv* jni, jclass, jstring collector, jstring action,
                                                                             jstring cause, jlong start_millis, jlong end_millis,
                                                                             jlong before_bytes, jlong after_bytes, jlong max_bytes) {
  OrElse<int>(0, [&] {
    const auto bytes = [](jlong value) { return value < 0 ? 0 : static_cast<uint64_t>(value); };
    Agent::Get().CollectionEnded({ToUtf8(jni, collector), ToUtf8(jni, action), ToUtf8(jni, cause), start_millis, end_millis,
                                  bytes(before_bytes), bytes(after_bytes), bytes(max_bytes)});
    return 0;
  });
}

JNIEXPORT jbyteArray JNICALL Java_org_sparkmemprof_jni_NativeAgent_takeMessage(JNIEnv* jni, jclass, jlong timeout_millis) {
  return OrElse<jbyteArray>(nullptr, [&]() -> jbyteArray {
    std::string message = Agent::Get().TakeMessage(timeout_millis);
    if (message.empty()) return nullptr;
    jbyteArray bytes = jni->NewByteArray(static_cast<jsize>(message.size()));
    if (bytes == nullptr) {  // the heap is full; the message is kept, and Java gets the error and tries again
      Agent::Get().ReturnMessage(std::move(message));
      return nullptr;
    }
    jni->SetByteArrayRegion(bytes, 0, static_cast<jsize>(message.size()), reinterpret_cast<const jbyte*>(message.data()));
    return bytes;
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeAgent_stop(JNIEnv* jni, jclass) {
  Agent::Get().NameFrames(jni);
  Agent::Get().Stop();
}
}
