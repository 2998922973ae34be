#include "tasks/thread_buckets.h"

#include <pthread.h>

#include <algorithm>
#include <string_view>

#include "stacks/class_names.h"
#include "stacks/thread_name.h"
#include "tasks/service_threads.h"
#include "tasks/unnamed_threads.h"

namespace memprof {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local constinit uint32_t bucket_of_thread = UINT32_MAX;
__attribute__((tls_model("initial-exec"))) thread_local constinit uint32_t native_bucket_of_thread = UINT32_MAX;
__attribute__((tls_model("initial-exec"))) thread_local constinit uint32_t bucket_without_jni = UINT32_MAX;

std::string BucketName(const std::string& name) {
  const std::string_view service = ServiceOfThread(name);
  return service.empty() ? "thread " + name : std::string(service);
}

// As the kernel knows the current thread, normalised; at most 15 characters.
std::string NativeThreadName() {
  char name[16] = {};
  return pthread_getname_np(pthread_self(), name, sizeof name) == 0 ? NormalizedThreadName(name) : std::string();
}

}  // namespace

uint32_t ThreadBuckets::OfThisThread(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (bucket_of_thread != UINT32_MAX) return bucket_of_thread;
  if (jni != nullptr) return Ask(jvmti, jni);
  // Each time leaves references until the thread's native method returns, which may be never.
  if (bucket_without_jni == UINT32_MAX) bucket_without_jni = Ask(jvmti, nullptr);
  return bucket_without_jni;
}

uint32_t ThreadBuckets::Ask(jvmtiEnv* jvmti, JNIEnv* jni) {
  const std::string name = ThreadName(jvmti, jni, nullptr);
  if (name.empty()) return 0;  // the JVM doesn't tell it yet, or it has none
  if (name != kUnnamedThread) return bucket_of_thread = BucketOf(BucketName(name));
  // A thread that a library's runtime has attached to the JVM has no name of its own there, but one for the kernel.
  if (NativeThreadName() != kUnnamedThread) return bucket_of_thread = OfThisNativeThread();
  const std::optional<std::string_view> service = ServiceOfUnnamedThread(jvmti, jni);
  if (!service) return BucketOf(BucketName(name));
  return bucket_of_thread = BucketOf(service->empty() ? BucketName(name) : std::string(*service));
}

uint32_t ThreadBuckets::OfThisThreadIfKnown() const { return bucket_of_thread == UINT32_MAX ? 0 : bucket_of_thread; }

uint32_t ThreadBuckets::OfThisNativeThread() {
  if (native_bucket_of_thread == UINT32_MAX) native_bucket_of_thread = BucketOf("native thread " + NativeThreadName());
  return native_bucket_of_thread;
}

void ThreadBuckets::SetThisThread(const std::string& bucket) { bucket_of_thread = BucketOf(bucket); }

uint32_t ThreadBuckets::BucketOf(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto known = buckets_.find(name);
  if (known != buckets_.end()) return known->second;
  if (buckets_.size() >= kMaxBuckets) return 0;
  bytes_.push_back({});
  const auto bucket = static_cast<uint32_t>(bytes_.size() - 1);
  buckets_.emplace(name, bucket);
  return bucket;
}

void ThreadBuckets::Add(Kind kind, uint32_t bucket, double bytes) {
  const std::lock_guard lock(mutex_);
  bytes_[bucket < bytes_.size() ? bucket : 0][static_cast<size_t>(kind)] += bytes;
}

void ThreadBuckets::AddToThisThread(Kind kind, double bytes) { Add(kind, bucket_of_thread, bytes); }

void ThreadBuckets::Clear() {
  const std::lock_guard lock(mutex_);
  std::fill(bytes_.begin(), bytes_.end(), Bytes{});
}

std::string ThreadBuckets::NameOf(uint32_t bucket) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, known] : buckets_) {
    if (known == bucket) return name;
  }
  return "other threads";
}

std::vector<std::pair<std::string, double>> ThreadBuckets::Largest(Kind kind, size_t most) const {
  std::vector<std::pair<std::string, double>> largest;
  double others = 0;
  {
    const std::lock_guard lock(mutex_);
    largest.reserve(bytes_.size());
    for (const auto& [name, bucket] : buckets_) largest.emplace_back(name, bytes_[bucket][static_cast<size_t>(kind)]);
    others = bytes_[0][static_cast<size_t>(kind)];
  }
  std::sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  while (largest.size() >= most) {
    others += largest.back().second;
    largest.pop_back();
  }
  largest.emplace_back("other threads", others);
  std::erase_if(largest, [](const auto& entry) { return entry.second <= 0; });
  return largest;
}

}  // namespace memprof
