// The words that report.json uses for origins and languages, in one place.
#pragma once

#include <string_view>

#include "base/origin.h"

namespace memprof {

constexpr std::string_view OriginWord(Origin origin) {
  switch (origin) {
    case Origin::kPython:
      return "python";
    case Origin::kJvmHeap:
      return "jvm-heap";
    case Origin::kJvmOffHeap:
      return "jvm-offheap";
    case Origin::kJvmNative:
      return "jvm-native";
    case Origin::kUnknown:
      break;
  }
  return "unknown";
}

constexpr Origin OriginOfWord(std::string_view word) {
  for (Origin origin : {Origin::kPython, Origin::kJvmHeap, Origin::kJvmOffHeap, Origin::kJvmNative}) {
    if (word == OriginWord(origin)) return origin;
  }
  return Origin::kUnknown;
}

constexpr std::string_view LanguageWord(Language language) {
  switch (language) {
    case Language::kPython:
      return "python";
    case Language::kNative:
      return "native";
    case Language::kJava:
      return "java";
    case Language::kUnknown:
      break;
  }
  return "unknown";
}

constexpr Language LanguageOfWord(std::string_view word) {
  for (Language language : {Language::kPython, Language::kNative, Language::kJava}) {
    if (word == LanguageWord(language)) return language;
  }
  return Language::kUnknown;
}

}  // namespace memprof
