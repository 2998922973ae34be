#include "jni/convert.h"

#include <limits>

#include "base/utf8.h"

namespace memprof {
namespace {

void ClearPending(JNIEnv* jni) {
  if (jni->ExceptionCheck()) jni->ExceptionClear();
}

}  // namespace

std::string ToUtf8(JNIEnv* jni, jstring text) {
  if (text == nullptr) return {};
  const jsize length = jni->GetStringLength(text);
  const jchar* chars = jni->GetStringChars(text, nullptr);
  if (chars == nullptr) {
    ClearPending(jni);
    return {};
  }
  std::string out = Utf16ToUtf8({reinterpret_cast<const char16_t*>(chars), static_cast<size_t>(length)});
  jni->ReleaseStringChars(text, chars);
  return out;
}

std::vector<std::string> ToStrings(JNIEnv* jni, jobjectArray array) {
  std::vector<std::string> strings;
  const jsize length = array == nullptr ? 0 : jni->GetArrayLength(array);
  for (jsize i = 0; i < length; ++i) {
    auto element = static_cast<jstring>(jni->GetObjectArrayElement(array, i));
    strings.push_back(ToUtf8(jni, element));
    jni->DeleteLocalRef(element);
  }
  return strings;
}

jstring ToJavaString(JNIEnv* jni, std::string_view utf8) {
  const std::u16string text = Utf8ToUtf16(utf8);
  if (text.size() > static_cast<size_t>(std::numeric_limits<jsize>::max())) return nullptr;
  jstring out = jni->NewString(reinterpret_cast<const jchar*>(text.data()), static_cast<jsize>(text.size()));
  ClearPending(jni);
  return out;
}

jobjectArray ToJavaStrings(JNIEnv* jni, const std::vector<std::string_view>& utf8) {
  jclass type = jni->FindClass("java/lang/String");
  jobjectArray array = type == nullptr ? nullptr : jni->NewObjectArray(static_cast<jsize>(utf8.size()), type, nullptr);
  for (size_t i = 0; array != nullptr && i < utf8.size(); ++i) {
    jstring text = ToJavaString(jni, utf8[i]);
    if (text == nullptr) return nullptr;
    jni->SetObjectArrayElement(array, static_cast<jsize>(i), text);
    jni->DeleteLocalRef(text);
  }
  ClearPending(jni);
  return array;
}

std::string ToBytes(JNIEnv* jni, jbyteArray bytes) {
  if (bytes == nullptr) return {};
  std::string out(static_cast<size_t>(jni->GetArrayLength(bytes)), '\0');
  jni->GetByteArrayRegion(bytes, 0, static_cast<jsize>(out.size()), reinterpret_cast<jbyte*>(out.data()));
  ClearPending(jni);
  return out;
}

std::vector<jlong> ToLongs(JNIEnv* jni, jlongArray array) {
  std::vector<jlong> out(array == nullptr ? 0 : static_cast<size_t>(jni->GetArrayLength(array)));
  if (!out.empty()) jni->GetLongArrayRegion(array, 0, static_cast<jsize>(out.size()), out.data());
  ClearPending(jni);
  return out;
}

jbyteArray ToJavaBytes(JNIEnv* jni, std::string_view bytes) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<jsize>::max())) return nullptr;
  jbyteArray out = jni->NewByteArray(static_cast<jsize>(bytes.size()));
  if (out == nullptr) {
    ClearPending(jni);
    return nullptr;
  }
  jni->SetByteArrayRegion(out, 0, static_cast<jsize>(bytes.size()), reinterpret_cast<const jbyte*>(bytes.data()));
  return out;
}

}  // namespace memprof
