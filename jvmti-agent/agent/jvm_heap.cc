#include "agent/jvm_heap.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace memprof {

// Start and Stop are called on threads of the JVM.
template <typename Use>
void JvmHeap::WithReferences(Use&& use) {
  void* jni = nullptr;
  if (ground_->jvm.vm()->GetEnv(&jni, JNI_VERSION_1_8) != JNI_OK) return;
  JniWeakReferences references(static_cast<JNIEnv*>(jni));
  use(references);
}

void JvmHeap::Start(const ApplicationRef& application, NearlyFullCall nearly_full) {
  collectors_.Begin();
  nearly_full_.Reset();
  sampler_.SetInterval(application->options.heap_interval_bytes);
  if (!ground_->jvm.can_sample_heap()) return;
  WithReferences([&](WeakReferences& references) { live_objects_.Begin(application->options.heap_interval_bytes, references); });
  HeapSweeperOptions options;
  options.vm = ground_->jvm.vm();
  options.current_stacks = [this] { return ground_->stacks.Current(); };
  options.thread_name = [this](uint32_t bucket) { return ground_->buckets.NameOf(bucket); };
  options.send = [this, application](proto::RetainedHeap retained) {
    ground_->Send(*application, [&](proto::Envelope* envelope) { *envelope->mutable_retained_heap() = std::move(retained); });
  };
  options.look = std::move(nearly_full);
  const Status status = sweeper_.Start(std::move(options));
  if (!status.ok()) ground_->shortcomings.Add("what the heap retains", status.message());
}

void JvmHeap::SetEvents(uint64_t interval_bytes) {
  ground_->jvm.SetPauseEvents(true);
  ground_->jvm.StartHeapSampling(interval_bytes, &ground_->shortcomings);
}

void JvmHeap::Stop() {
  ground_->jvm.StopHeapSampling();
  sweeper_.Stop();
  ground_->jvm.SetPauseEvents(false);
  WithReferences([this](WeakReferences& references) { live_objects_.End(references); });
}

void JvmHeap::SetCollectors(std::vector<std::string> names, const std::string& why) {
  live_objects_.SetThinning(std::any_of(names.begin(), names.end(), KeepsWhatIsWeak));
  markings_.Begin(std::move(names));
  const std::string never = why.empty() ? markings_.WhyNever() : why;
  if (!never.empty()) ground_->shortcomings.Add("what the heap retains", never);
}

void JvmHeap::CollectionEnded(const Collection& collection) {
  collectors_.Ended(collection, Now());
  if (const std::optional<Marking> marking = markings_.Ended(collection)) sweeper_.Marked(*marking);
  if (nearly_full_.Ended(collection, MonotonicNs())) sweeper_.WantLook();
}

std::optional<proto::RetainedHeap> JvmHeap::RetainedAtError(JNIEnv* jni, uint64_t used_bytes, uint64_t max_bytes) const {
  if (!ground_->jvm.can_sample_heap()) return std::nullopt;
  Marking marking = markings_.BeforeError();
  marking.heap_used_bytes = used_bytes;
  marking.heap_max_bytes = max_bytes;
  return marking.older_than_ns == 0 ? std::nullopt : sweeper_.Look(jni, marking);
}

}  // namespace memprof
