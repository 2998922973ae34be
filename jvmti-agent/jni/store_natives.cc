// The natives of org.sparkmemprof.jni.NativeStore: they convert and forward to ProfileStore. A handle is the
// store's address; 0, which Java never gets, is ignored. No exception crosses.
#include <jni.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/throw.h"
#include "eventlog/event_parts.h"
#include "jni/convert.h"
#include "jni/driver_store.h"
#include "jni/handles.h"
#include "jni/last_report.h"
#include "jni/or_else.h"
#include "jni/vm_death.h"
#include "profile/driver_source.h"
#include "shortage/last_words.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

// Spark's setting; "": its default. An error where it is no regular expression: then nothing may be shown.
Result<Redaction> RedactionOf(JNIEnv* jni, jstring setting) {
  const std::string regex = ToUtf8(jni, setting);
  return Redaction::Make(regex.empty() ? Redaction::kDefault : std::string_view(regex));
}

}  // namespace
}  // namespace memprof

using namespace memprof;  // the names below are the JVM's

extern "C" {

JNIEXPORT jlong JNICALL Java_org_sparkmemprof_jni_NativeStore_open(JNIEnv* jni, jclass, jlong limit_bytes, jint patience) {
  const jlong handle = OrElse<jlong>(0, [&] {
    const auto limit = limit_bytes > 0 ? static_cast<uint64_t>(limit_bytes) : uint64_t{64} << 20;
    TellLastWordsTo(ReportOwnEnd);
    return HandleOf(OpenDriverStore(limit, std::max(1, static_cast<int>(patience))));
  });
  if (handle == 0) ThrowJava(jni, "java/lang/OutOfMemoryError", "no native memory for sparkmemprof's profile store");
  return handle;
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_close(JNIEnv*, jclass, jlong store) {
  CloseDriverStore(At<ProfileStore>(store));
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_notAvailable(JNIEnv* jni, jclass, jlong store, jstring what, jstring why) {
  With<ProfileStore>(store, [&](ProfileStore& to) { to.NotAvailable(ToUtf8(jni, what), ToUtf8(jni, why)); });
}

JNIEXPORT jboolean JNICALL Java_org_sparkmemprof_jni_NativeStore_awaitsSymbols(JNIEnv*, jclass, jlong store) {
  return OrElse<jboolean>(JNI_FALSE,
                          [&]() -> jboolean { return store != 0 && At<ProfileStore>(store)->AwaitsSymbols() ? JNI_TRUE : JNI_FALSE; });
}

JNIEXPORT jbyteArray JNICALL Java_org_sparkmemprof_jni_NativeStore_nextPostMortem(JNIEnv* jni, jclass, jlong store, jlong now_ms,
                                                                                  jboolean all) {
  return OrElse<jbyteArray>(nullptr, [&]() -> jbyteArray {
    if (store == 0) return nullptr;
    const std::string text = At<ProfileStore>(store)->NextPostMortem(now_ms, all == JNI_TRUE);
    return text.empty() ? nullptr : ToJavaBytes(jni, text);
  });
}

JNIEXPORT jstring JNICALL Java_org_sparkmemprof_jni_NativeStore_willBeReported(JNIEnv* jni, jclass, jlong store, jstring directory,
                                                                               jboolean with_source) {
  return OrElse<jstring>(nullptr, [&]() -> jstring {
    const std::string place = directory == nullptr ? "" : ToUtf8(jni, directory);
    WillBeReported(At<ProfileStore>(store), {.directory = place, .with_source = with_source == JNI_TRUE});
    const Status status = AtVmDeath(jni, ReportAtVmDeath);
    return status.ok() ? nullptr : ToJavaString(jni, status.message());
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_isReported(JNIEnv*, jclass, jlong store) {
  IsReported(At<ProfileStore>(store));
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeStore_postMortemTold(JNIEnv*, jclass, jlong store) {
  With<ProfileStore>(store, [&](ProfileStore& of) { of.PostMortemTold(); });
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
