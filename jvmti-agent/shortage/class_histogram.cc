#include "shortage/class_histogram.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/clock.h"
#include "stacks/class_names.h"
#include "stacks/jvmti_memory.h"

namespace memprof {
namespace {

struct Sum {
  uint64_t bytes = 0, objects = 0;
};

struct Walk {
  std::vector<Sum> sums;                         // by a class's tag; 0: classes that were loaded during the walk
  int64_t deadline_ns = 0, cpu_deadline_ns = 0;  // 0: the walk hasn't begun on its thread
  int64_t cpu_ns = 0;
  uint64_t objects = 0;
  bool cut_short = false;
};

// Called while the JVM is stopped: allocates nothing.
jint JNICALL OnObject(jlong class_tag, jlong size, jlong*, jint, void* user_data) {
  constexpr uint64_t kBetweenLooks = 4096;
  Walk& walk = *static_cast<Walk*>(user_data);
  const auto index = static_cast<uint64_t>(class_tag) < walk.sums.size() ? static_cast<size_t>(class_tag) : 0;
  walk.sums[index].bytes += size < 0 ? 0 : static_cast<uint64_t>(size);
  ++walk.sums[index].objects;
  if (walk.objects++ == 0) walk.cpu_deadline_ns = ThreadCpuNs() + walk.cpu_ns;
  if (walk.objects % kBetweenLooks != 0) return JVMTI_VISIT_OBJECTS;
  if (ThreadCpuNs() < walk.cpu_deadline_ns && MonotonicNs() < walk.deadline_ns) return JVMTI_VISIT_OBJECTS;
  walk.cut_short = true;
  return JVMTI_VISIT_ABORT;
}

std::string NameOf(jvmtiEnv* jvmti, jclass type) {
  JvmtiMemory<char> signature(jvmti);
  if (jvmti->GetClassSignature(type, signature.target(), nullptr) != JVMTI_ERROR_NONE || signature.get() == nullptr) return "?";
  return TypeNameOf(signature.get());
}

// Looks up only the names that are shown. Generated classes of one name are one row.
ClassHistogram Rows(jvmtiEnv* jvmti, const jclass* classes, const Walk& walk, size_t most) {
  std::vector<size_t> order(walk.sums.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return walk.sums[a].bytes > walk.sums[b].bytes; });
  ClassHistogram histogram;
  histogram.cut_short = walk.cut_short;
  std::map<std::string, size_t> rows;
  for (const size_t index : order) {
    const Sum& sum = walk.sums[index];
    if (sum.objects == 0) continue;
    histogram.total_bytes += sum.bytes;
    histogram.total_objects += sum.objects;
    if (index == 0 || histogram.classes.size() >= most) {
      ++histogram.other_classes;
      histogram.other_bytes += sum.bytes;
      continue;
    }
    const auto [row, added] = rows.try_emplace(NameOf(jvmti, classes[index - 1]), histogram.classes.size());
    if (added) histogram.classes.push_back({row->first, 0, 0});
    histogram.classes[row->second].bytes += sum.bytes;
    histogram.classes[row->second].objects += sum.objects;
  }
  std::stable_sort(histogram.classes.begin(), histogram.classes.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return histogram;
}

}  // namespace

std::string TypeNameOf(std::string_view jvm_signature) {
  const size_t dimensions = std::min(jvm_signature.find_first_not_of('['), jvm_signature.size());
  const std::string_view element = jvm_signature.substr(dimensions);
  static constexpr std::pair<char, std::string_view> kPrimitives[] = {{'B', "byte"}, {'C', "char"}, {'D', "double"}, {'F', "float"},
                                                                      {'I', "int"},  {'J', "long"}, {'S', "short"},  {'Z', "boolean"}};
  std::string name;
  if (element.size() == 1) {
    for (const auto& [letter, word] : kPrimitives) {
      if (letter == element[0]) name = word;
    }
  }
  if (name.empty()) name = ClassNameOf(element);
  for (size_t i = 0; i < dimensions; ++i) name += "[]";
  return name;
}

std::optional<ClassHistogram> TakeClassHistogram(jvmtiEnv* jvmti, JNIEnv* jni, size_t most, std::chrono::milliseconds bound) {
  constexpr jint kMostReferences = 1 << 16;  // a bound for -Xcheck:jni, the JVM's largest; it reserves nothing
  jint count = 0;
  jclass* classes = nullptr;
  if (jni->PushLocalFrame(kMostReferences) != JNI_OK) return std::nullopt;
  if (jvmti->GetLoadedClasses(&count, &classes) != JVMTI_ERROR_NONE || classes == nullptr) {
    jni->PopLocalFrame(nullptr);
    return std::nullopt;
  }
  for (jint i = 0; i < count; ++i) jvmti->SetTag(classes[i], i + 1);
  Walk walk;
  walk.sums.resize(static_cast<size_t>(count) + 1);
  walk.cpu_ns = std::chrono::nanoseconds(bound).count();
  walk.deadline_ns = MonotonicNs() + 2 * walk.cpu_ns;
  jvmtiHeapCallbacks callbacks = {};
  callbacks.heap_iteration_callback = OnObject;
  const bool walked = jvmti->IterateThroughHeap(0, nullptr, &callbacks, &walk) == JVMTI_ERROR_NONE;
  std::optional<ClassHistogram> histogram;
  if (walked) histogram = Rows(jvmti, classes, walk, most);
  for (jint i = 0; i < count; ++i) jvmti->SetTag(classes[i], 0);
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(classes));
  jni->PopLocalFrame(nullptr);
  return histogram;
}

}  // namespace memprof
