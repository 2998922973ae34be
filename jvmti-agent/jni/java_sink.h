// A java.io.OutputStream as a place for text. Not thread-safe; made and used inside one call of Java.
#pragma once

#include <jni.h>

#include <exception>
#include <string_view>

#include "base/text_sink.h"

namespace memprof {

// Java has thrown; its exception is pending and is what the caller in Java gets.
class JavaThrew : public std::exception {};

class JavaSink : public TextSink {
 public:
  JavaSink(JNIEnv* jni, jobject stream);        // throws JavaThrew
  void Write(std::string_view piece) override;  // throws JavaThrew
  void Flush();                                 // what is still here; after the last piece. Throws JavaThrew

 private:
  JNIEnv* jni_;
  jobject stream_;
  jmethodID write_;
  jbyteArray chunk_;
  jsize filled_ = 0;
};

}  // namespace memprof
