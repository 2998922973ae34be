#include "jni/java_sink.h"

#include <algorithm>

namespace memprof {
namespace {

// Bytes of the text that are in Java's heap at a time. The JDK keeps, for each thread, a direct buffer as large as its largest write
// to a channel.
constexpr jsize kChunk = 64 << 10;

}  // namespace

JavaSink::JavaSink(JNIEnv* jni, jobject stream) : jni_(jni), stream_(stream), write_(nullptr), chunk_(nullptr) {
  jclass type = jni->FindClass("java/io/OutputStream");
  if (type != nullptr) write_ = jni->GetMethodID(type, "write", "([BII)V");
  if (write_ != nullptr) chunk_ = jni->NewByteArray(kChunk);
  if (chunk_ == nullptr) throw JavaThrew();
}

void JavaSink::Write(std::string_view piece) {
  while (!piece.empty()) {
    const jsize bytes = static_cast<jsize>(std::min(piece.size(), static_cast<size_t>(kChunk - filled_)));
    jni_->SetByteArrayRegion(chunk_, filled_, bytes, reinterpret_cast<const jbyte*>(piece.data()));
    filled_ += bytes;
    piece.remove_prefix(static_cast<size_t>(bytes));
    if (filled_ == kChunk) Flush();
  }
}

void JavaSink::Flush() {
  if (filled_ != 0) jni_->CallVoidMethod(stream_, write_, chunk_, jint{0}, filled_);
  filled_ = 0;
  if (jni_->ExceptionCheck()) throw JavaThrew();
}

}  // namespace memprof
