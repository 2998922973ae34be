// The words that report.json uses for origins, languages, tasks and memory modes, in one place.
#pragma once

#include <optional>
#include <string_view>

#include "base/origin.h"
#include "report/model.h"

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

// The names of a task's figures: each says its unit.
constexpr std::string_view TaskFigureWord(TaskFigure figure) {
  switch (figure) {
    case TaskFigure::kDurationMs:
      return "durationMs";
    case TaskFigure::kGcMs:
      return "gcMs";
    case TaskFigure::kPythonLiveAtPeak:
      return "pythonLiveAtPeakBytes";
    case TaskFigure::kPythonAllocated:
      return "pythonAllocatedBytes";
    case TaskFigure::kHeapAllocated:
      return "heapAllocatedBytes";
    case TaskFigure::kOffHeapLiveAtPeak:
      return "offHeapLiveAtPeakBytes";
    case TaskFigure::kPeakExecution:
      return "peakExecutionBytes";
    case TaskFigure::kSpilledMemory:
      return "spilledMemoryBytes";
    case TaskFigure::kPythonKept:
      return "pythonKeptBytes";
    case TaskFigure::kHeapOfBroadcasts:
      return "heapOfBroadcastsBytes";
  }
  return "";
}

constexpr std::optional<TaskFigure> TaskFigureOfWord(std::string_view word) {
  for (size_t i = 0; i < kTaskFigures; ++i) {
    if (word == TaskFigureWord(static_cast<TaskFigure>(i))) return static_cast<TaskFigure>(i);
  }
  return std::nullopt;
}

constexpr std::string_view TaskStatusWord(ReportTaskStatus status) {
  switch (status) {
    case ReportTaskStatus::kCounted:
      return "counted";
    case ReportTaskStatus::kFailed:
      return "failed";
    case ReportTaskStatus::kKilled:
      return "killed";
    case ReportTaskStatus::kLost:
      return "lost";
    case ReportTaskStatus::kSuperseded:
      return "superseded";
    case ReportTaskStatus::kUnknown:
      break;
  }
  return "unknown";
}

constexpr ReportTaskStatus TaskStatusOfWord(std::string_view word) {
  for (size_t i = 0; i < kTaskStatuses; ++i) {
    if (word == TaskStatusWord(static_cast<ReportTaskStatus>(i))) return static_cast<ReportTaskStatus>(i);
  }
  return ReportTaskStatus::kUnknown;
}

// Spark's memory modes.
constexpr std::string_view ModeWord(bool off_heap) { return off_heap ? "offHeap" : "onHeap"; }
constexpr bool IsOffHeapWord(std::string_view word) { return word == ModeWord(true); }

// What a stage's results were collected for.
constexpr std::string_view PurposeWord(bool broadcast) { return broadcast ? "broadcast" : "result"; }
constexpr bool IsBroadcastWord(std::string_view word) { return word == PurposeWord(true); }

}  // namespace memprof
