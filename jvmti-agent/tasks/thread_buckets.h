// ThreadBuckets: bytes, of the heap, off-heap and of native code, that belong to no running task, by the service that their thread does
// (service_threads.h) or else by its normalised name, so that nothing is silently charged to an unrelated task. At most kMaxBuckets
// names; further ones are summed as "other threads". One for each process: a thread keeps its bucket. Thread-safe. Allocates; not for
// GC callbacks.
#pragma once

#include <jvmti.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace memprof {

class ThreadBuckets {
 public:
  static constexpr size_t kMaxBuckets = 256;
  enum class Kind : uint8_t { kHeap, kOffHeap, kNative };

  // The bucket of the current thread, a Java thread. Its name is looked up once: Spark renames its threads with each task, but only
  // numbers change. 0 is "other threads". `jni` null: JNI must not be called now; then a thread whose stack doesn't tell what it does keeps
  // its first answer until there is a JNIEnv.
  uint32_t OfThisThread(jvmtiEnv* jvmti, JNIEnv* jni);
  // Likewise, where JVMTI may not be asked: 0 unless it was asked before.
  uint32_t OfThisThreadIfKnown() const;
  // Of a thread that is none of the JVM's: by the kernel's name for it.
  uint32_t OfThisNativeThread();
  // In place of its name.
  void SetThisThread(const std::string& bucket);
  void Add(Kind kind, uint32_t bucket, double bytes);
  void AddToThisThread(Kind kind, double bytes);  // whose bucket has been asked for before; otherwise to "other threads"
  // Forgets the bytes, not the names: threads keep their buckets.
  void Clear();
  std::string NameOf(uint32_t bucket) const;
  // Bytes by name, largest first; from the `most`th on they are one, "other threads".
  std::vector<std::pair<std::string, double>> Largest(Kind kind, size_t most) const;

 private:
  using Bytes = std::array<double, 3>;  // by kind

  uint32_t Ask(jvmtiEnv* jvmti, JNIEnv* jni);
  uint32_t BucketOf(const std::string& name);

  mutable std::mutex mutex_;
  std::map<std::string, uint32_t> buckets_;
  std::vector<Bytes> bytes_{Bytes{}};
};

}  // namespace memprof
