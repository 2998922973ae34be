// The natives of org.sparkmemprof.jni.NativeStore: they convert and forward to ProfileStore. A handle is the
// store's address; 0, which Java never gets, is ignored. No exception crosses: a message or event is lost, not the driver.
#include <jni.h>

#include <charconv>
#include <type_traits>
#include <utility>

#include "base/throw.h"
#include "eventlog/event_parts.h"
#include "facts/cached_data.h"
#include "facts/driver_actions.h"
#include "jni/convert.h"
#include "jni/driver_store.h"
#include "jni/handles.h"
#include "jni/or_else.h"
#include "profile/driver_source.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

// Spark's setting; "": its default. An error where it is no regular expression: then nothing may be shown.
Result<Redaction> RedactionOf(JNIEnv* jni, jstring setting) {
  const std::string regex = ToUtf8(jni, setting);
  return Redaction::Make(regex.empty() ? Redaction::kSparksDefault : std::string_view(regex));
}

TaskOutcome OutcomeOf(jint outcome) {
  return outcome >= 0 && outcome <= static_cast<jint>(TaskOutcome::kLost) ? static_cast<TaskOutcome>(outcome) : TaskOutcome::kLost;
}

}  // namespace
}  // namespace memprof

using namespace memprof;  // the names below are the JVM's

extern "C" {

JNIEXPORT jlong JNICALL Java_org_sparkmemprof_jni_NativeStore_open(JNIEnv* jni, jclass, jlong limit_bytes) {
  const jlong handle = OrElse<jlong>(0, [&] {
    const auto limit = limit_bytes > 0 ? static_cast<uint64_t>(limit_bytes) : uint64_t{64} << 20;
    return HandleOf(OpenDriverStore(limit));
  });
  if (handle == 0) ThrowJava(jni, "java/lang/OutOfMemoryError", "no native memory for sparkmemprof's profile store");
  return handle;
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_close(JNIEnv*, jclass, jlong store) {
  CloseDriverStore(At<ProfileStore>(store));
}

JNIEXPORT jstring JNICALL Java_org_sparkmemprof_jni_NativeStore_ingest(JNIEnv* jni, jclass, jlong store, jbyteArray envelope) {
  return OrElse<jstring>(nullptr, [&]() -> jstring {
    if (store == 0) return ToJavaString(jni, "the profile store is closed");
    const Status status = At<ProfileStore>(store)->Ingest(ToBytes(jni, envelope), Now());
    return status.ok() ? nullptr : ToJavaString(jni, status.message());
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_applicationStarted(JNIEnv* jni, jclass, jlong store, jstring id, jstring name,
                                                                                jstring spark_version, jstring python_version,
                                                                                jstring master, jlong time_ms) {
  With<ProfileStore>(store, [&](ProfileStore& to) {
    to.ApplicationStarted(ToUtf8(jni, id), ToUtf8(jni, name), ToUtf8(jni, spark_version), ToUtf8(jni, python_version), ToUtf8(jni, master),
                          time_ms);
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_configuration(JNIEnv* jni, jclass, jlong store, jobjectArray entries) {
  With<ProfileStore>(store, [&](ProfileStore& to) {
    const std::vector<std::string> texts = ToStrings(jni, entries);
    std::vector<std::pair<std::string, std::string>> pairs;
    for (size_t i = 0; i + 1 < texts.size(); i += 2) pairs.emplace_back(texts[i], texts[i + 1]);
    to.Configuration(pairs);
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_executorAdded(JNIEnv* jni, jclass, jlong store, jstring id, jstring host,
                                                                           jint cores, jlong heap_mib, jlong overhead_mib,
                                                                           jlong offheap_mib, jlong pyspark_mib, jlong time_ms) {
  With<ProfileStore>(store, [&](ProfileStore& to) {
    to.ExecutorAdded({.id = ToUtf8(jni, id),
                      .host = ToUtf8(jni, host),
                      .cores = cores,
                      .heap_mib = heap_mib,
                      .overhead_mib = overhead_mib,
                      .offheap_mib = offheap_mib,
                      .pyspark_mib = pyspark_mib,
                      .time_ms = time_ms});
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_executorRemoved(JNIEnv* jni, jclass, jlong store, jstring id, jstring reason,
                                                                             jlong time_ms) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.ExecutorRemoved(ToUtf8(jni, id), ToUtf8(jni, reason), time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_stageSetting(JNIEnv* jni, jclass, jlong store, jint stage_id, jstring key,
                                                                          jstring value) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.StageSetting(stage_id, ToUtf8(jni, key), ToUtf8(jni, value)); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_stageSubmitted(JNIEnv* jni, jclass, jlong store, jint stage_id, jint attempt,
                                                                            jstring name, jstring call_site, jint tasks, jlong time_ms) {
  With<ProfileStore>(
      store, [&](ProfileStore& to) { to.StageSubmitted(stage_id, attempt, ToUtf8(jni, name), ToUtf8(jni, call_site), tasks, time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_stageCompleted(JNIEnv* jni, jclass, jlong store, jint stage_id, jint attempt,
                                                                            jstring failure_reason, jlong time_ms) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.StageCompleted(stage_id, attempt, ToUtf8(jni, failure_reason), time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_taskEnded(JNIEnv* jni, jclass, jlong store, jlong task_attempt_id,
                                                                       jint stage_id, jint stage_attempt, jint partition,
                                                                       jint attempt_number, jstring executor_id, jint outcome,
                                                                       jstring error, jlong time_ms, jlong launched_ms, jlong gc_ms) {
  With<ProfileStore>(store, [&](ProfileStore& to) {
    to.TaskEnded({.task_attempt_id = task_attempt_id,
                  .stage_id = stage_id,
                  .stage_attempt = stage_attempt,
                  .partition = partition,
                  .attempt_number = attempt_number,
                  .executor_id = ToUtf8(jni, executor_id),
                  .outcome = OutcomeOf(outcome),
                  .error = ToUtf8(jni, error),
                  .time_ms = time_ms,
                  .times = {launched_ms, gc_ms}});
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_queryStarted(JNIEnv* jni, jclass, jlong store, jlong query_id,
                                                                          jstring call_site, jlong time_ms) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.QueryStarted(query_id, ToUtf8(jni, call_site), time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_jobStarted(JNIEnv* jni, jclass, jlong store, jint job_id, jlongArray stages,
                                                                        jstring stage_name, jobjectArray properties, jlong time_ms) {
  With<ProfileStore>(store, [&](ProfileStore& to) {
    std::vector<std::string> texts = ToStrings(jni, properties);  // as NativeStore lists them
    texts.resize(4);
    const std::string name = ToUtf8(jni, stage_name);
    JobStart job;
    job.job_id = job_id;
    for (jlong stage : ToLongs(jni, stages)) job.stages.push_back(static_cast<int32_t>(stage));
    job.stage_name = name;
    job.call_site = texts[0];
    job.description = texts[1];
    job.tags = texts[2];
    int64_t query = 0;
    const auto [end, error] = std::from_chars(texts[3].data(), texts[3].data() + texts[3].size(), query);
    if (error == std::errc() && end == texts[3].data() + texts[3].size()) job.query_id = query;
    job.time_ms = time_ms;
    to.JobStarted(job);
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_taskResult(JNIEnv*, jclass, jlong store, jint stage_id, jlong bytes) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.TaskResult(stage_id, bytes < 0 ? 0 : static_cast<uint64_t>(bytes)); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_queryRows(JNIEnv*, jclass, jlong store, jlong query_id, jlong rows) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.QueryRows(query_id, rows < 0 ? 0 : static_cast<uint64_t>(rows)); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_jobEnded(JNIEnv* jni, jclass, jlong store, jint job_id, jstring failure,
                                                                      jlong time_ms) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.JobEnded(job_id, ToUtf8(jni, failure), time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_cachedRdd(JNIEnv* jni, jclass, jlong store, jint rdd_id, jstring name,
                                                                       jstring call_site, jboolean disk, jboolean memory, jboolean off_heap,
                                                                       jboolean deserialized, jint replication, jint partitions) {
  With<ProfileStore>(store, [&](ProfileStore& to) {
    const StorageLevel level{disk == JNI_TRUE, memory == JNI_TRUE, off_heap == JNI_TRUE, deserialized == JNI_TRUE, replication};
    to.CachedRdd(rdd_id, ToUtf8(jni, name), ToUtf8(jni, call_site), level, partitions);
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_blockUpdated(JNIEnv* jni, jclass, jlong store, jboolean of_broadcast,
                                                                          jlong dataset, jint part, jstring executor_id, jlong memory_bytes,
                                                                          jlong disk_bytes) {
  const auto bytes = [](jlong value) { return value < 0 ? 0 : static_cast<uint64_t>(value); };
  With<ProfileStore>(store, [&](ProfileStore& to) {
    to.BlockUpdated({of_broadcast == JNI_TRUE, dataset, part}, ToUtf8(jni, executor_id), bytes(memory_bytes), bytes(disk_bytes));
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_rddUnpersisted(JNIEnv*, jclass, jlong store, jint rdd_id) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.RddUnpersisted(rdd_id); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_applicationEnded(JNIEnv*, jclass, jlong store, jlong time_ms) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.ApplicationEnded(time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_applicationEnding(JNIEnv*, jclass, jlong store, jlong time_ms) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.ApplicationEnding(time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_notAvailable(JNIEnv* jni, jclass, jlong store, jstring what, jstring why) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.NotAvailable(ToUtf8(jni, what), ToUtf8(jni, why)); });
}

JNIEXPORT jboolean JNICALL Java_org_sparkmemprof_jni_NativeStore_awaitsSymbols(JNIEnv*, jclass, jlong store) {
  return OrElse<jboolean>(JNI_FALSE,
                          [&]() -> jboolean { return store != 0 && At<ProfileStore>(store)->AwaitsSymbols() ? JNI_TRUE : JNI_FALSE; });
}

JNIEXPORT jobjectArray JNICALL Java_org_sparkmemprof_jni_NativeStore_takePostMortems(JNIEnv* jni, jclass, jlong store, jlong now_ms,
                                                                                     jboolean all) {
  return OrElse<jobjectArray>(nullptr, [&]() -> jobjectArray {
    if (store == 0) return nullptr;
    const std::vector<std::string> texts = At<ProfileStore>(store)->TakePostMortems(now_ms, all == JNI_TRUE);
    jclass bytes = texts.empty() ? nullptr : jni->FindClass("[B");
    jobjectArray array = bytes == nullptr ? nullptr : jni->NewObjectArray(static_cast<jsize>(texts.size()), bytes, nullptr);
    for (size_t i = 0; array != nullptr && i < texts.size(); ++i) {
      const jbyteArray text = ToJavaBytes(jni, texts[i]);
      if (text == nullptr) return nullptr;  // with an OutOfMemoryError pending
      jni->SetObjectArrayElement(array, static_cast<jsize>(i), text);
      jni->DeleteLocalRef(text);
    }
    return array;
  });
}

JNIEXPORT jstring JNICALL Java_org_sparkmemprof_jni_NativeStore_failureNote(JNIEnv* jni, jclass, jlong store, jstring failure, jint job_id,
                                                                            jlongArray stages, jlong task, jlong now_ms) {
  return OrElse<jstring>(nullptr, [&]() -> jstring {
    if (store == 0) return nullptr;
    std::optional<FailedJob> job;
    if (job_id >= 0) {
      job.emplace(FailedJob{.job_id = job_id});
      if (task >= 0) job->task = task;
      for (const jlong stage : ToLongs(jni, stages)) job->stages.insert(static_cast<int32_t>(stage));
    }
    const std::optional<std::string> note = At<ProfileStore>(store)->FailureNote(ToUtf8(jni, failure), job, now_ms);
    return note ? ToJavaString(jni, *note) : nullptr;
  });
}

JNIEXPORT jobjectArray JNICALL Java_org_sparkmemprof_jni_NativeStore_takeEvents(JNIEnv* jni, jclass, jlong store, jlong now_ms,
                                                                                jboolean end, jboolean with_source) {
  return OrElse<jobjectArray>(nullptr, [&]() -> jobjectArray {
    if (store == 0) return nullptr;
    const std::vector<ReportEvent> events = At<ProfileStore>(store)->TakeEvents(now_ms, end == JNI_TRUE, with_source == JNI_TRUE);
    if (events.empty()) return nullptr;
    std::vector<std::string_view> texts;
    for (const ReportEvent& event : events) texts.insert(texts.end(), {event.part, event.id, event.text});
    return ToJavaStrings(jni, texts);
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_notebookCell(JNIEnv* jni, jclass, jlong store, jstring file, jint number,
                                                                          jstring text, jstring redaction) {
  With<ProfileStore>(store, [&](ProfileStore& to) {
    const Result<Redaction> hidden = RedactionOf(jni, redaction);
    const std::string typed = hidden.ok() ? ToUtf8(jni, text) : "";
    static_cast<void>(to.Ingest(CellMessage(ToUtf8(jni, file), static_cast<uint32_t>(number), typed, hidden.ok() ? *hidden : Redaction())));
  });
}

JNIEXPORT jbyteArray JNICALL Java_org_sparkmemprof_jni_NativeStore_scriptMessage(JNIEnv* jni, jclass, jstring path, jbyteArray text,
                                                                                 jstring redaction) {
  return OrElse<jbyteArray>(nullptr, [&]() -> jbyteArray {
    const Result<Redaction> hidden = RedactionOf(jni, redaction);
    return hidden.ok() ? ToJavaBytes(jni, ScriptMessage(ToUtf8(jni, path), ToBytes(jni, text), *hidden)) : nullptr;
  });
}

JNIEXPORT jobjectArray JNICALL Java_org_sparkmemprof_jni_NativeStore_metricNames(JNIEnv* jni, jclass) {
  return OrElse<jobjectArray>(nullptr, [&] { return ToJavaStrings(jni, {kMetricNames.begin(), kMetricNames.end()}); });
}

JNIEXPORT jlongArray JNICALL Java_org_sparkmemprof_jni_NativeStore_metrics(JNIEnv* jni, jclass, jlong store) {
  return OrElse<jlongArray>(nullptr, [&]() -> jlongArray {
    if (store == 0) return nullptr;
    const MetricValues values = At<ProfileStore>(store)->Metrics();
    jlongArray array = jni->NewLongArray(static_cast<jsize>(values.size()));
    static_assert(std::is_same_v<jlong, MetricValues::value_type>);
    if (array != nullptr) jni->SetLongArrayRegion(array, 0, static_cast<jsize>(values.size()), values.data());
    return array;
  });
}
}
