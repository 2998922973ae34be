// JvmHeap: the JVM's heap: who allocates in it, what it retains, and what its collectors do. Thread-safe, except that Start and Stop
// must not run at the same time.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/ground.h"
#include "gc/gc_figures.h"
#include "gc/marking_watch.h"
#include "gc/nearly_full.h"
#include "heap/heap_sampler.h"
#include "heap/heap_sweeper.h"
#include "heap/live_objects.h"

namespace memprof {

class JvmHeap {
 public:
  // Called on the sweeper's thread, which is attached to the JVM, when collections leave most of the heap in use; with what the heap
  // retained last.
  using NearlyFullCall = std::function<bool(JNIEnv*, const std::optional<proto::RetainedHeap>&)>;  // HeapSweeperOptions::look

  explicit JvmHeap(Ground* ground) : ground_(ground), sampler_(&ground->tasks, &ground->buckets, &ground->stacks, &live_objects_) {}

  void Start(const ApplicationRef& application, NearlyFullCall nearly_full);
  void SetEvents(uint64_t interval_bytes);  // switches the events of samples and pauses on, until Stop()
  void Stop();

  void Sampled(JNIEnv* jni, jthread thread, jobject object, uint64_t size) {
    sampler_.Sampled(ground_->jvm.jvmti(), jni, thread, object, size);
  }
  // The JVM's collectors, by name. Empty: collections will not be reported, and `why`.
  void SetCollectors(std::vector<std::string> names, const std::string& why);
  void CollectionEnded(const Collection& collection);

  // What is retained directly after an OutOfMemoryError, in a heap with `used_bytes` in use. Call on a Java thread in native code.
  std::optional<proto::RetainedHeap> RetainedAtError(JNIEnv* jni, uint64_t used_bytes, uint64_t max_bytes) const;

  uint64_t interval_bytes() const { return ground_->jvm.can_sample_heap() ? sampler_.interval() : 0; }  // 0: nothing is sampled
  const LiveObjects& live_objects() const { return live_objects_; }
  const GcFigures& collectors() const { return collectors_; }

 private:
  template <typename Use>
  void WithReferences(Use&& use);

  Ground* ground_;
  LiveObjects live_objects_;
  HeapSampler sampler_;
  HeapSweeper sweeper_{&live_objects_, &ground_->pauses};
  MarkingWatch markings_{&ground_->pauses};
  GcFigures collectors_;
  NearlyFull nearly_full_;
};

}  // namespace memprof
