#include "tasks/task_profile.h"

#include <algorithm>
#include <utility>

#include "base/valid_utf8.h"
#include "profile/native_frames.h"

namespace memprof {
namespace {

// Leaves out Spark's frames between the thread's start and the task's own code: no view shows them, and they would fill a third of the
// message.
uint32_t AddJvmStack(const JvmStacks& stacks, JvmStackId stack, const NativeCallsAt& native, ProfileSites* sites) {
  uint32_t node = 0;
  for (const JvmFrame* jvm : stacks.Frames(stack)) {
    if (node == 0 && jvm->launches_tasks) continue;
    ProfileFrame frame;
    if (jvm->is_native()) {
      frame.language = Language::kNative;
      frame.module = ValidUtf8(jvm->module);
      frame.build_id = ValidUtf8(jvm->build_id);
      frame.offset = jvm->offset;
      for (const uint32_t call : AddNativeFrame(std::move(frame), native, sites)) node = sites->AddNode(node, call);
      continue;
    }
    frame.language = Language::kJava;
    frame.function = ValidUtf8(jvm->function);
    frame.file = ValidUtf8(jvm->file);
    frame.line = jvm->line;
    frame.in_framework = jvm->launches_tasks;
    node = sites->AddNode(node, sites->AddFrame(std::move(frame)));
  }
  return node;
}

void AddOffHeap(Origin origin, const std::vector<JvmFigures::OffHeapSite>& blocks, const JvmStacks* stacks, const NativeCallsAt& native,
                ProfileSites* sites) {
  for (const JvmFigures::OffHeapSite& offheap : blocks) {
    ProfileSite site;
    site.origin = origin;
    site.stack = AddJvmStack(*stacks, offheap.stack, native, sites);
    site.sampled = offheap.allocated.variance > 0;
    site.allocated_bytes = offheap.allocated.bytes;
    site.allocations = offheap.allocated.blocks;
    site.variance = offheap.allocated.variance;
    site.live_bytes = offheap.live.bytes;
    site.live_at_peak_bytes = offheap.live_at_peak.bytes;
    site.peak_variance = std::max(0.0, offheap.live_at_peak.variance);
    sites->Add(site);
  }
}

void AddJvmSites(const JvmFigures& jvm, const NativeCallsAt& native, ProfileSites* sites) {
  for (const JvmFigures::HeapSite& heap : jvm.heap) {
    ProfileSite site;
    site.origin = Origin::kJvmHeap;
    site.stack = AddJvmStack(*jvm.stacks, heap.stack, native, sites);
    site.sampled = heap.allocated.variance > 0;  // without variance all blocks were so large that each was sampled
    site.allocated_bytes = heap.allocated.bytes;
    site.allocations = heap.allocated.blocks;
    site.variance = heap.allocated.variance;
    sites->Add(site);
  }
  AddOffHeap(Origin::kJvmOffHeap, jvm.offheap, jvm.stacks.get(), native, sites);
  AddOffHeap(Origin::kJvmNative, jvm.native, jvm.stacks.get(), native, sites);
}

// For a task that is known only from its Python sessions.
TaskKey KeyOf(const BoxSession& session) {
  return {session.task_attempt_id, session.stage_id, session.stage_attempt, session.partition, session.attempt_number};
}

// The executor's peaks must not displace the task's own sites. If they are too large, this is left out, in this order: collectors,
// Spark's pools and what is not available; the counters; the moment of the peak, as a whole, because the driver would take a cut one
// for complete (all of these also come complete in the watcher's own messages); the smallest processes. The last moment always stays,
// because a verdict on the executor's death is based on it; at worst without its smallest processes.
void AddExecutor(const proto::ExecutorSnapshot& executor, size_t max_bytes, proto::TaskProfile* profile) {
  proto::ExecutorSnapshot* copy = profile->mutable_executor();
  *copy = executor;
  if (copy->ByteSizeLong() > max_bytes) {
    copy->clear_collectors();
    copy->clear_spark_pools();
    copy->clear_not_available();
  }
  if (copy->ByteSizeLong() > max_bytes) copy->clear_counters();
  if (copy->ByteSizeLong() > max_bytes) copy->clear_at_peak();
  while (copy->ByteSizeLong() > max_bytes && copy->processes_size() > 1) copy->mutable_processes()->RemoveLast();
  if (!copy->has_last() || copy->ByteSizeLong() <= max_bytes) return;
  auto& held_by = *copy->mutable_last()->mutable_processes();
  std::sort(held_by.begin(), held_by.end(), [](const auto& a, const auto& b) { return a.peak_rss_bytes() > b.peak_rss_bytes(); });
  while (copy->ByteSizeLong() > max_bytes && !held_by.empty()) held_by.RemoveLast();
}

}  // namespace

JvmFigures CopyOf(const TaskFigures& task) {
  JvmFigures copy;
  copy.key = task.key;
  copy.stacks = task.stacks;
  copy.start_ms = task.start_ms;
  copy.spark = task.spark;
  copy.stopped_before_ns = task.stopped_before_ns;
  copy.heap.reserve(task.heap.sites().size() + 1);
  for (const auto& site : task.heap.sites()) copy.heap.push_back({site.stack, site.figures});
  if (task.heap.rest().bytes > 0) {
    copy.heap.push_back({0, task.heap.rest()});
    ++copy.full_tables;
  }
  const auto copy_blocks = [&copy](const OffHeapSites& from, std::vector<JvmFigures::OffHeapSite>* to) {
    const auto add = [&](JvmStackId stack, const OffHeapFigures& figures) {
      to->push_back({stack, figures.allocated, figures.live, from.LiveAtPeak(figures)});
    };
    for (const auto& site : from.table().sites()) add(site.stack, site.figures);
    if (from.table().rest().allocated.bytes == 0) return;
    add(0, from.table().rest());
    ++copy.full_tables;
  };
  copy_blocks(task.offheap, &copy.offheap);
  copy_blocks(task.native, &copy.native);
  return copy;
}

BuiltProfile BuildTaskProfile(const TaskProfileInputs& inputs) {
  TaskMessage message(inputs.executor_id);
  proto::TaskProfile* profile = message.profile();
  const TaskKey key =
      inputs.jvm.key.task_attempt_id >= 0 || inputs.sessions.empty() ? inputs.jvm.key : KeyOf(inputs.sessions.front().session);
  profile->set_task_attempt_id(key.task_attempt_id);
  profile->set_sequence(inputs.sequence);
  profile->set_final(inputs.final);
  profile->set_recovered(inputs.recovered);
  profile->set_stage_id(key.stage_id);
  profile->set_stage_attempt(key.stage_attempt);
  profile->set_partition(key.partition);
  profile->set_attempt_number(key.attempt_number);
  profile->set_start_ms(inputs.jvm.start_ms);
  profile->set_taken_ms(inputs.taken_ms);
  if (inputs.gc_stopped_ns) profile->set_gc_stopped_ms(static_cast<uint64_t>(std::max<int64_t>(0, *inputs.gc_stopped_ns)) / 1'000'000);
  profile->set_jvm_interval_bytes(inputs.heap_interval_bytes);

  const NativeCallsAt native = [&](const std::string& module, const std::string& build_id, uint64_t offset) {
    return inputs.names->Find({module, build_id, offset}).value_or(SourceCalls());
  };
  AddJvmSites(inputs.jvm, native, message.sites());
  message.AddSessions(inputs.sessions, {native, inputs.working_directory, inputs.withheld});
  AddCounter("unreadableSessions", inputs.unreadable_sessions, profile);
  AddCounter("fullJvmSiteTables", inputs.jvm.full_tables, profile);
  inputs.jvm.spark.AddTo(inputs.max_bytes / 8, profile);
  if (inputs.executor != nullptr) AddExecutor(*inputs.executor, inputs.max_bytes / 4, profile);

  BuiltMessage built = message.Build(inputs.max_bytes);
  return {std::move(built), UnnamedFrames(*profile)};
}

std::vector<NativeFrame> UnnamedFrames(const proto::TaskProfile& message) {
  std::vector<NativeFrame> unnamed;
  for (const proto::Frame& frame : message.frames()) {
    if (frame.language() != proto::NATIVE || frame.function() != 0) continue;
    unnamed.push_back(
        {message.strings(static_cast<int>(frame.module())), message.strings(static_cast<int>(frame.build_id())), frame.offset()});
  }
  return unnamed;
}

}  // namespace memprof
