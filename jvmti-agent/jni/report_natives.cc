// The natives of org.sparkmemprof.jni.NativeReport: a store's report at one moment, and its views. A text of megabytes goes to Java's
// stream in pieces and is nowhere as a whole. Handles are addresses; 0 is no report.
#include <jni.h>

#include <exception>
#include <new>

#include "base/throw.h"
#include "jni/convert.h"
#include "jni/handles.h"
#include "jni/java_sink.h"
#include "jni/or_else.h"
#include "report/json.h"
#include "report/model.h"
#include "report/verdict.h"
#include "report/views/report_file_writer.h"
#include "report/views/views.h"
#include "store/profile_store.h"

using namespace memprof;

namespace {

void ThrowOutOfMemory(JNIEnv* jni) { ThrowJava(jni, "java/lang/OutOfMemoryError", "no native memory for sparkmemprof's report"); }

// What a handle is of.
struct MadeReport {
  Report report;
  ReportFileWriter files{report};
};

const Report& ReportAt(jlong handle) { return At<MadeReport>(handle)->report; }

// Calls `write` with the files and the stream. What the stream throws stays pending for the caller in Java.
template <typename Write>
void WriteTo(JNIEnv* jni, jlong report, jobject stream, Write write) {
  if (report == 0) return ThrowJava(jni, "java/lang/IllegalStateException", "the report is closed");
  try {
    JavaSink sink(jni, stream);
    write(At<MadeReport>(report)->files, sink);
    sink.Flush();
  } catch (const JavaThrew&) {
  } catch (const std::bad_alloc&) {
    ThrowOutOfMemory(jni);
  } catch (const std::exception& e) {
    ThrowJava(jni, "java/io/IOException", e.what());
  }
}

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_org_sparkmemprof_jni_NativeReport_make(JNIEnv* jni, jclass, jlong store, jboolean unfinished,
                                                                    jboolean with_source) {
  if (store == 0) return 0;
  const jlong report = OrElse<jlong>(
      0, [&] { return HandleOf(new MadeReport{At<ProfileStore>(store)->Model(unfinished == JNI_TRUE, with_source == JNI_TRUE)}); });
  if (report == 0) ThrowOutOfMemory(jni);
  return report;
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeReport_free(JNIEnv*, jclass, jlong report) { delete At<MadeReport>(report); }

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeReport_json(JNIEnv* jni, jclass, jlong report, jobject stream) {
  WriteTo(jni, report, stream, [](ReportFileWriter& files, TextSink& to) { files.WriteJson(to); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeReport_jsonAlone(JNIEnv* jni, jclass, jlong report, jobject stream) {
  WriteTo(jni, report, stream, [&](ReportFileWriter&, TextSink& to) { WriteReportJson(ReportAt(report), to); });
}

JNIEXPORT void JNICALL Java_org_sparkmemprof_jni_NativeReport_html(JNIEnv* jni, jclass, jlong report, jobject stream) {
  WriteTo(jni, report, stream, [](ReportFileWriter& files, TextSink& to) { files.WriteHtml(to); });
}

JNIEXPORT jbyteArray JNICALL Java_org_sparkmemprof_jni_NativeReport_wholeJson(JNIEnv* jni, jclass, jlong report) {
  return OrElse<jbyteArray>(nullptr, [&] { return report == 0 ? nullptr : ToJavaBytes(jni, WriteReportJson(ReportAt(report))); });
}

JNIEXPORT jbyteArray JNICALL Java_org_sparkmemprof_jni_NativeReport_text(JNIEnv* jni, jclass, jlong report, jint width, jint max_lines) {
  return OrElse<jbyteArray>(nullptr, [&]() -> jbyteArray {
    if (report == 0) return nullptr;
    TextOptions options;
    if (width > 0) options.width = width;
    options.max_lines = max_lines;
    return ToJavaBytes(jni, RenderText(ReportAt(report), options));
  });
}

JNIEXPORT jstring JNICALL Java_org_sparkmemprof_jni_NativeReport_headline(JNIEnv* jni, jclass, jlong report) {
  return OrElse<jstring>(nullptr, [&]() -> jstring {
    if (report == 0 || ReportAt(report).post_mortems.empty()) return nullptr;
    return ToJavaString(jni, VerdictOf(ReportAt(report)).sentence);
  });
}

JNIEXPORT jboolean JNICALL Java_org_sparkmemprof_jni_NativeReport_callsForAction(JNIEnv*, jclass, jlong report) {
  return OrElse<jboolean>(JNI_FALSE, [&]() -> jboolean { return report != 0 && CallsForAction(ReportAt(report)) ? JNI_TRUE : JNI_FALSE; });
}
}
