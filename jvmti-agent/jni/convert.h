// Java values to C++ values and back. Strings go through UTF-16, never through JNI's modified UTF-8: a name may have characters
// beyond the basic plane, and bytes passed to Java must be UTF-8, as the schema says. On failure (out of memory in the JVM) a
// null or empty value is returned and the pending exception is cleared.
#pragma once

#include <jni.h>

#include <string>
#include <string_view>
#include <vector>

namespace memprof {

std::string ToUtf8(JNIEnv* jni, jstring text);                        // null gives ""
std::vector<std::string> ToStrings(JNIEnv* jni, jobjectArray array);  // null gives none
jstring ToJavaString(JNIEnv* jni, std::string_view utf8);
jobjectArray ToJavaStrings(JNIEnv* jni, const std::vector<std::string_view>& utf8);
std::string ToBytes(JNIEnv* jni, jbyteArray bytes);         // null gives ""
std::vector<jlong> ToLongs(JNIEnv* jni, jlongArray array);  // null gives none
jbyteArray ToJavaBytes(JNIEnv* jni, std::string_view bytes);

}  // namespace memprof
