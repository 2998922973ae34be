// The natives of org.sparkmemprof.jni.NativeFeed: they convert Java's values on the caller's thread and queue the event for the store. A
// handle is the feed's address; 0 is ignored. No exception crosses: an event that has no room is dropped and counted, not the driver.
#include <jni.h>

#include <charconv>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "base/throw.h"
#include "facts/cached_data.h"
#include "facts/driver_actions.h"
#include "jni/convert.h"
#include "jni/driver_store.h"
#include "jni/handles.h"
#include "jni/or_else.h"
#include "jni/store_feed.h"

namespace memprof {
namespace {

using Texts = std::vector<std::string>;

TaskOutcome OutcomeOf(jint outcome) {
  return outcome >= 0 && outcome <= static_cast<jint>(TaskOutcome::kLost) ? static_cast<TaskOutcome>(outcome) : TaskOutcome::kLost;
}

uint64_t BytesOf(jlong value) { return value < 0 ? 0 : static_cast<uint64_t>(value); }

// `work` adds to the feed.
template <typename Work>
void ToFeed(jlong handle, WorkQueue::Kind kind, Work&& work) noexcept {
  if (handle == 0) return;
  StoreFeed& feed = *At<StoreFeed>(handle);
  try {
    work(feed);
  } catch (const std::exception&) {
    feed.queue().CountDropped(kind);
  }
}

// `event(store, texts)` runs later, on the feed's thread.
template <typename Event>
void AddTo(StoreFeed& feed, Texts texts, Event event) {
  size_t bytes = texts.capacity() * sizeof(std::string);
  for (const std::string& text : texts) bytes += text.capacity();
  feed.Add(bytes, [texts = std::move(texts), event = std::move(event)](ProfileStore& to) { event(to, texts); });
}

template <typename Event>
void Queue(JNIEnv* jni, jlong handle, std::initializer_list<jstring> strings, Event event) noexcept {
  ToFeed(handle, WorkQueue::Kind::kEvent, [&](StoreFeed& feed) {
    Texts texts;
    for (const jstring string : strings) texts.push_back(ToUtf8(jni, string));
    AddTo(feed, std::move(texts), std::move(event));
  });
}

}  // namespace
}  // namespace memprof

using namespace memprof;  // the names below are the JVM's

extern "C" {

JNIEXPORT jlong JNICALL Java_org_sparkmemprof_jni_NativeFeed_open(JNIEnv* jni, jclass, jlong store) {
  const jlong handle = OrElse<jlong>(0, [&]() -> jlong {
    auto feed = std::make_unique<StoreFeed>(At<ProfileStore>(store));
    if (!feed->Start().ok()) return 0;
    FeedsDriverStore(At<ProfileStore>(store), feed.get());
    return HandleOf(feed.release());
  });
  if (handle == 0) ThrowJava(jni, "java/lang/OutOfMemoryError", "no thread for sparkmemprof's profile store");
  return handle;
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_close(JNIEnv*, jclass, jlong feed) {
  With<StoreFeed>(feed, [](StoreFeed& which) {
    FeedsNoMore(&which);
    which.Close();
  });
}

JNIEXPORT jboolean JNICALL Java_org_sparkmemprof_jni_NativeFeed_isIdle(JNIEnv*, jclass, jlong feed) {
  return feed == 0 || At<StoreFeed>(feed)->queue().Idle() ? JNI_TRUE : JNI_FALSE;
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_countDropped(JNIEnv*, jclass, jlong feed, jboolean message) {
  With<StoreFeed>(feed, [&](StoreFeed& which) {
    which.queue().CountDropped(message == JNI_TRUE ? WorkQueue::Kind::kMessage : WorkQueue::Kind::kEvent);
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_tellDropped(JNIEnv*, jclass, jlong feed) {
  With<StoreFeed>(feed, [](StoreFeed& which) { which.TellDropped(); });
}

JNIEXPORT jstring JNICALL Java_org_sparkmemprof_jni_NativeFeed_takeRefusal(JNIEnv* jni, jclass, jlong feed) {
  return OrElse<jstring>(nullptr, [&]() -> jstring {
    const std::optional<std::string> refusal = feed == 0 ? std::nullopt : At<StoreFeed>(feed)->TakeRefusal();
    return refusal ? ToJavaString(jni, *refusal) : nullptr;
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_ingest(JNIEnv* jni, jclass, jlong feed, jbyteArray envelope) {
  ToFeed(feed, WorkQueue::Kind::kMessage, [&](StoreFeed& to) {
    const bool fits = static_cast<size_t>(jni->GetArrayLength(envelope)) <= WorkQueue::kMostBytes;  // asked before it is copied
    fits ? to.Ingest(ToBytes(jni, envelope)) : to.queue().CountDropped(WorkQueue::Kind::kMessage);
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_applicationStarted(JNIEnv* jni, jclass, jlong feed, jstring id, jstring name,
                                                                               jstring spark_version, jstring python_version,
                                                                               jstring master, jlong time_ms) {
  Queue(jni, feed, {id, name, spark_version, python_version, master}, [time_ms](ProfileStore& to, const Texts& texts) {
    to.ApplicationStarted(texts[0], texts[1], texts[2], texts[3], texts[4], time_ms);
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_configuration(JNIEnv* jni, jclass, jlong feed, jobjectArray entries) {
  ToFeed(feed, WorkQueue::Kind::kEvent, [&](StoreFeed& into) {
    AddTo(into, ToStrings(jni, entries), [](ProfileStore& to, const Texts& texts) {
      std::vector<std::pair<std::string, std::string>> pairs;
      for (size_t i = 0; i + 1 < texts.size(); i += 2) pairs.emplace_back(texts[i], texts[i + 1]);
      to.Configuration(pairs);
    });
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_executorAdded(JNIEnv* jni, jclass, jlong feed, jstring id, jstring host,
                                                                          jint cores, jlong heap_mib, jlong overhead_mib, jlong offheap_mib,
                                                                          jlong pyspark_mib, jint resource_profile, jint requests,
                                                                          jint task_cpus, jlong time_ms) {
  Queue(jni, feed, {id, host}, [=](ProfileStore& to, const Texts& texts) {
    to.ExecutorAdded({.id = texts[0],
                      .host = texts[1],
                      .cores = cores,
                      .heap_mib = heap_mib,
                      .overhead_mib = overhead_mib,
                      .offheap_mib = offheap_mib,
                      .pyspark_mib = pyspark_mib,
                      .time_ms = time_ms,
                      .resource_profile = {resource_profile, static_cast<uint32_t>(requests), static_cast<uint32_t>(task_cpus)}});
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_executorRemoved(JNIEnv* jni, jclass, jlong feed, jstring id, jstring reason,
                                                                            jlong time_ms) {
  Queue(jni, feed, {id, reason}, [time_ms](ProfileStore& to, const Texts& texts) { to.ExecutorRemoved(texts[0], texts[1], time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_stageSetting(JNIEnv* jni, jclass, jlong feed, jint stage_id, jstring key,
                                                                         jstring value) {
  Queue(jni, feed, {key, value}, [stage_id](ProfileStore& to, const Texts& texts) { to.StageSetting(stage_id, texts[0], texts[1]); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_stageSubmitted(JNIEnv* jni, jclass, jlong feed, jint stage_id, jint attempt,
                                                                           jstring name, jstring call_site, jint tasks, jlong time_ms) {
  Queue(jni, feed, {name, call_site},
        [=](ProfileStore& to, const Texts& texts) { to.StageSubmitted(stage_id, attempt, texts[0], texts[1], tasks, time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_stageCompleted(JNIEnv* jni, jclass, jlong feed, jint stage_id, jint attempt,
                                                                           jstring failure_reason, jlong time_ms) {
  Queue(jni, feed, {failure_reason},
        [=](ProfileStore& to, const Texts& texts) { to.StageCompleted(stage_id, attempt, texts[0], time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_taskEnded(JNIEnv* jni, jclass, jlong feed, jlong task_attempt_id, jint stage_id,
                                                                      jint stage_attempt, jint partition, jint attempt_number,
                                                                      jstring executor_id, jint outcome, jstring error, jlong time_ms,
                                                                      jlong launched_ms, jlong gc_ms) {
  Queue(jni, feed, {executor_id, error}, [=](ProfileStore& to, const Texts& texts) {
    to.TaskEnded({.task_attempt_id = task_attempt_id,
                  .stage_id = stage_id,
                  .stage_attempt = stage_attempt,
                  .partition = partition,
                  .attempt_number = attempt_number,
                  .executor_id = texts[0],
                  .outcome = OutcomeOf(outcome),
                  .error = texts[1],
                  .time_ms = time_ms,
                  .times = {launched_ms, gc_ms}});
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_queryStarted(JNIEnv* jni, jclass, jlong feed, jlong query_id, jstring call_site,
                                                                         jlong time_ms) {
  Queue(jni, feed, {call_site}, [=](ProfileStore& to, const Texts& texts) { to.QueryStarted(query_id, texts[0], time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_jobStarted(JNIEnv* jni, jclass, jlong feed, jint job_id, jlongArray stages,
                                                                       jstring stage_name, jobjectArray properties, jlong time_ms) {
  ToFeed(feed, WorkQueue::Kind::kEvent, [&](StoreFeed& into) {
    Texts listed = ToStrings(jni, properties);  // as NativeFeed lists them
    listed.resize(5);
    listed.push_back(ToUtf8(jni, stage_name));
    std::vector<int32_t> ids;
    for (const jlong stage : ToLongs(jni, stages)) ids.push_back(static_cast<int32_t>(stage));
    AddTo(into, std::move(listed), [job_id, ids = std::move(ids), time_ms](ProfileStore& to, const Texts& texts) {
      JobStart job;
      job.job_id = job_id;
      job.stages = ids;
      job.stage_name = texts[5];
      job.call_site = texts[0];
      job.built_at = texts[4];
      job.description = texts[1];
      job.tags = texts[2];
      int64_t query = 0;
      const auto [end, error] = std::from_chars(texts[3].data(), texts[3].data() + texts[3].size(), query);
      if (error == std::errc() && end == texts[3].data() + texts[3].size()) job.query_id = query;
      job.time_ms = time_ms;
      to.JobStarted(job);
    });
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_taskResult(JNIEnv* jni, jclass, jlong feed, jint stage_id, jlong task,
                                                                       jlong bytes) {
  Queue(jni, feed, {}, [=](ProfileStore& to, const Texts&) { to.TaskResult(stage_id, task, BytesOf(bytes)); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_queryRows(JNIEnv* jni, jclass, jlong feed, jlong query_id, jlong rows,
                                                                      jboolean broadcast) {
  Queue(jni, feed, {}, [=](ProfileStore& to, const Texts&) {
    to.QueryRows(query_id, rows < 0 ? std::nullopt : std::optional(BytesOf(rows)), broadcast == JNI_TRUE);
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_jobEnded(JNIEnv* jni, jclass, jlong feed, jint job_id, jstring failure,
                                                                     jlong time_ms) {
  Queue(jni, feed, {failure}, [=](ProfileStore& to, const Texts& texts) { to.JobEnded(job_id, texts[0], time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_cachedRdd(JNIEnv* jni, jclass, jlong feed, jint rdd_id, jstring name,
                                                                      jstring call_site, jboolean disk, jboolean memory, jboolean off_heap,
                                                                      jboolean deserialized, jint replication, jint partitions) {
  const StorageLevel level{disk == JNI_TRUE, memory == JNI_TRUE, off_heap == JNI_TRUE, deserialized == JNI_TRUE, replication};
  Queue(jni, feed, {name, call_site},
        [=](ProfileStore& to, const Texts& texts) { to.CachedRdd(rdd_id, texts[0], texts[1], level, partitions); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_blockUpdated(JNIEnv* jni, jclass, jlong feed, jboolean of_broadcast,
                                                                         jlong dataset, jint part, jstring executor_id, jlong memory_bytes,
                                                                         jlong disk_bytes) {
  Queue(jni, feed, {executor_id}, [=](ProfileStore& to, const Texts& texts) {
    to.BlockUpdated({of_broadcast == JNI_TRUE, dataset, part}, texts[0], BytesOf(memory_bytes), BytesOf(disk_bytes));
  });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_rddUnpersisted(JNIEnv* jni, jclass, jlong feed, jint rdd_id) {
  Queue(jni, feed, {}, [rdd_id](ProfileStore& to, const Texts&) { to.RddUnpersisted(rdd_id); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_applicationEnded(JNIEnv* jni, jclass, jlong feed, jlong time_ms) {
  Queue(jni, feed, {}, [time_ms](ProfileStore& to, const Texts&) { to.ApplicationEnded(time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_applicationEnding(JNIEnv* jni, jclass, jlong feed, jlong time_ms) {
  Queue(jni, feed, {}, [time_ms](ProfileStore& to, const Texts&) { to.ApplicationEnding(time_ms); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeFeed_notAvailable(JNIEnv* jni, jclass, jlong feed, jstring what, jstring why) {
  Queue(jni, feed, {what, why}, [](ProfileStore& to, const Texts& texts) { to.NotAvailable(texts[0], texts[1]); });
}
}
