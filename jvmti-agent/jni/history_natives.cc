// The natives of org.sparkmemprof.jni.NativeHistory: they convert and forward to EventLogPages. Answers are read by NativePages.
#include <jni.h>

#include "eventlog/event_log_pages.h"
#include "jni/convert.h"
#include "jni/handles.h"
#include "jni/or_else.h"

using namespace memprof;

extern "C" {

JNIEXPORT jlong JNICALL Java_org_sparkmemprof_jni_NativeHistory_open(JNIEnv*, jclass) {
  return OrElse<jlong>(0, [] { return HandleOf(new EventLogPages()); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeHistory_close(JNIEnv*, jclass, jlong history) { delete At<EventLogPages>(history); }

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeHistory_add(JNIEnv* jni, jclass, jlong history, jstring part, jstring id,
                                                                   jint schema_version, jstring text) {
  With<EventLogPages>(history, [&](EventLogPages& to) { to.Add(ToUtf8(jni, part), ToUtf8(jni, id), schema_version, ToUtf8(jni, text)); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeHistory_full(JNIEnv*, jclass, jlong history) {
  With<EventLogPages>(history, [](EventLogPages& to) { to.IsFull(); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeHistory_refused(JNIEnv*, jclass, jlong history) {
  With<EventLogPages>(history, [](EventLogPages& to) { to.Refused(); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeHistory_application(JNIEnv* jni, jclass, jlong history, jstring id, jstring name,
                                                                           jstring spark_version, jlong started_ms, jlong ended_ms) {
  With<EventLogPages>(history, [&](EventLogPages& to) {
    to.Application(ToUtf8(jni, id), ToUtf8(jni, name), ToUtf8(jni, spark_version), started_ms, ended_ms);
  });
}

JNIEXPORT jlong JNICALL Java_org_sparkmemprof_jni_NativeHistory_answer(JNIEnv* jni, jclass, jlong history, jstring path, jstring query) {
  return OrElse<jlong>(0, [&]() -> jlong {
    return history == 0 ? 0 : HandleOf(new PageAnswer(At<EventLogPages>(history)->Answer(ToUtf8(jni, path), ToUtf8(jni, query))));
  });
}
}
