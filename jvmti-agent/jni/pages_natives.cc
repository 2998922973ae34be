// The natives of org.sparkmemprof.jni.NativePages: they convert and forward to LivePages. An answer's body stays in native
// memory and is read in pieces, so that a large report never lies in the driver's heap. Handles are addresses; 0 is ignored.
#include <jni.h>

#include <algorithm>

#include "jni/convert.h"
#include "jni/handles.h"
#include "jni/or_else.h"
#include "store/live_pages.h"

using namespace memprof;

extern "C" {

JNIEXPORT jlong JNICALL Java_org_sparkmemprof_jni_NativePages_open(JNIEnv*, jclass, jlong store) {
  return OrElse<jlong>(0, [&]() -> jlong { return store == 0 ? 0 : HandleOf(new LivePages(*At<ProfileStore>(store))); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativePages_close(JNIEnv*, jclass, jlong pages) { delete At<LivePages>(pages); }

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativePages_forgetStale(JNIEnv*, jclass, jlong pages) {
  if (pages != 0) At<LivePages>(pages)->ForgetStale();
}

JNIEXPORT jlong JNICALL Java_org_sparkmemprof_jni_NativePages_answer(JNIEnv* jni, jclass, jlong pages, jstring path, jstring query) {
  return OrElse<jlong>(0, [&]() -> jlong {
    if (pages == 0) return 0;
    return HandleOf(new PageAnswer(At<LivePages>(pages)->Answer(ToUtf8(jni, path), ToUtf8(jni, query))));
  });
}

JNIEXPORT jint JNICALL Java_org_sparkmemprof_jni_NativePages_status(JNIEnv*, jclass, jlong answer) {
  return At<PageAnswer>(answer)->status;
}

JNIEXPORT jstring JNICALL Java_org_sparkmemprof_jni_NativePages_contentType(JNIEnv* jni, jclass, jlong answer) {
  return ToJavaString(jni, At<PageAnswer>(answer)->content_type);
}

JNIEXPORT jlong JNICALL Java_org_sparkmemprof_jni_NativePages_size(JNIEnv*, jclass, jlong answer) {
  return static_cast<jlong>(At<PageAnswer>(answer)->body->size());
}

JNIEXPORT jint JNICALL Java_org_sparkmemprof_jni_NativePages_read(JNIEnv* jni, jclass, jlong answer, jlong offset, jbyteArray into) {
  const std::string& body = *At<PageAnswer>(answer)->body;
  if (into == nullptr || offset < 0 || static_cast<size_t>(offset) >= body.size()) return 0;
  const size_t from = static_cast<size_t>(offset);
  const auto count = static_cast<jsize>(std::min(body.size() - from, static_cast<size_t>(jni->GetArrayLength(into))));
  jni->SetByteArrayRegion(into, 0, count, reinterpret_cast<const jbyte*>(body.data() + from));
  return count;
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativePages_free(JNIEnv*, jclass, jlong answer) { delete At<PageAnswer>(answer); }
}
