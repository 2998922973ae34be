#include "agent/executor_watch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/counter_names.h"
#include "base/valid_utf8.h"
#include "boxes/python_refusal.h"
#include "boxes/worker_death.h"
#include "sites/live_set.h"
#include "watch/not_available.h"

namespace memprof {

void ExecutorWatch::Start(const ApplicationRef& application) {
  SendWordsOfTheDead(*application);
  StartWatcher(application);
  StartBoxKeeper(application);
}

void ExecutorWatch::Stop(const Application& application) {
  ForEachBox(application.Boxes(), [this](const std::string&, const BoxReader& box) {  // what its last look needs
    const bool alive = box.OwnerAlive();
    if (const std::optional<ProcessRss> rss = RssOf(box)) ground_->watcher.news().SetRss(*rss);
    if (!alive && HasOpenTask(box)) ground_->watcher.news().SetEnded(EndOf(box));
  });
  if (const std::string refusal = TakePythonRefusal(application.Boxes()); !refusal.empty()) PythonRefused(refusal);
  ground_->watcher.Stop();
  SendLeft(application);
  box_keeper_.Stop();
}

Bounds ExecutorWatch::Reached() const {
  return {ground_->stacks.dropped_frames(), offheap_->dropped_blocks(), malloc_->dropped_blocks(), ground_->messages.dropped(),
          ground_->tasks.replaced()};
}

void ExecutorWatch::StartWatcher(const ApplicationRef& application) {
  WatcherOptions options;
  options.host = application->request.host;
  const std::string version = ground_->jvm.Property("java.vm.version");  // 17.0.15+6-…
  options.java_version = version.substr(0, version.find('+'));
  options.agent_loaded = ground_->jvm.phase() == Jvm::Phase::kOnLoad ? "agentpath" : "jar";
  options.with_driver = application->request.executor_id == "driver";
  options.withheld = application->withheld();
  options.granted_bytes = application->options.container_bytes;
  options.counts_processes = application->options.container_counted;
  options.offheap_live_bytes = [this] { return offheap_->live_bytes(); };
  options.native_live_bytes = [this] { return malloc_->live_bytes(); };
  options.heap_used_after_gc = [this] { return heap_->collectors().UsedAfter(); };
  options.offheap_blocks = [this] {
    const std::vector<AddressRange> unsafes = offheap_->BlocksFrom(kLargeBlock), native = malloc_->BlocksFrom(kLargeBlock);
    std::vector<AddressRange> blocks(unsafes.size() + native.size());
    std::merge(unsafes.begin(), unsafes.end(), native.begin(), native.end(), blocks.begin(), AddressRange::ByBegin);
    return blocks;
  };
  options.pauses = [this] { return PauseSums{ground_->pauses.count(), ground_->pauses.total_ns()}; };
  options.running_tasks = [this] { return ground_->tasks.Running(); };
  options.running_stages = [this] { return ground_->tasks.RunningStages(); };
  options.complete = [this, application](proto::ExecutorSnapshot* snapshot) { Complete(*application, snapshot); };
  options.send = [this, application](const proto::ExecutorSnapshot& snapshot) {
    ground_->Send(*application, [&](proto::Envelope* envelope) { *envelope->mutable_executor() = snapshot; });
  };
  options.send_time_line = [this, application](proto::TimeLine samples) {
    ground_->Send(*application, [&](proto::Envelope* envelope) { *envelope->mutable_time_line() = std::move(samples); });
  };
  options.early = [this, application](bool climbs) {
    climbs ? tasks_->Send() : tasks_->SendSome();
    SendLeft(*application);
  };
  options.looked = [this, application] {
    for (LeftBlocks* left : {&offheap_->left(), &malloc_->left()}) left->SendIfMoved(*application);
  };
  options.worker_died = [this, application](const DeadWorker& worker) { SendWorkerDeath(*application, worker); };
  options.program_killed = [this, application](const DeadProgram& program) { SendProgramDeath(*application, program); };
  options.driver_killed = [this, application](const DeadProgram& driver) { SendDriverDeath(*application, driver); };
  const Status status = ground_->watcher.Start(std::move(options));
  if (!status.ok()) ground_->shortcomings.Add("processes and container", status.message());
}

void ExecutorWatch::StartBoxKeeper(const ApplicationRef& application) {
  BoxKeeperOptions options;
  options.boxes = application->Boxes();
  options.grace *= application->options.patience;
  options.running_tasks = [this] { return ground_->tasks.Running(); };
  options.last_task = [this](const ProcessName& process, int64_t task) { ground_->watcher.news().SetLastTask(process, task); };
  options.rss = [this](const ProcessRss& rss) { ground_->watcher.news().SetRss(rss); };
  options.ended = [this](const EndedProcess& process) { ground_->watcher.news().SetEnded(process); };
  options.orphan = [this, application](const OrphanedTask& task) { tasks_->SendOrphan(*application, task); };
  options.refusal = [this](const std::string& why) { PythonRefused(why); };
  options.words = [this, application] { SendWordsOfTheDead(*application); };
  const Status status = box_keeper_.Start(std::move(options));
  if (!status.ok()) ground_->shortcomings.Add("boxes of processes that ended are removed when the executor ends", status.message());
}

void ExecutorWatch::SendLeft(const Application& application) {
  for (LeftBlocks* left : {&offheap_->left(), &malloc_->left()}) left->Send(application);
}

void ExecutorWatch::PythonRefused(const std::string& why) { ground_->shortcomings.Add("memory of Python workers", why); }

// Adds what only the agent knows: bounds that were reached, bytes of no task, what it cannot measure.
void ExecutorWatch::Complete(const Application& application, proto::ExecutorSnapshot* snapshot) const {
  constexpr size_t kMostBuckets = 24;
  const auto count = [&](const std::string& name, uint64_t value) {
    if (value == 0) return;
    proto::Counter* counter = snapshot->add_counters();
    counter->set_name(ValidUtf8(name));
    counter->set_value(value);
  };
  const Bounds now = Reached();
  count("droppedJavaFrames", now.java_frames - application.before.java_frames);
  count("droppedOffHeapBlocks", now.offheap_blocks - application.before.offheap_blocks);
  count("droppedNativeBlocks", now.native_blocks - application.before.native_blocks);
  count("droppedMessages", now.messages - application.before.messages);
  count("replacedTasks", now.tasks - application.before.tasks);
  count("thinnedLiveObjects", heap_->live_objects().doublings());
  count("droppedRetainedSites", heap_->live_objects().lost_sites());
  count("modulesWithoutLines", names_->modules_without_lines());
  snapshot->set_exits_on_out_of_memory(application.exits_on_out_of_memory);
  snapshot->set_kills_itself_on_out_of_memory(application.kills_itself_on_out_of_memory);
  heap_->collectors().Describe(snapshot);
  if (ground_->jvm.can_see_pauses()) {
    snapshot->set_gc_stopped_ms(static_cast<uint64_t>(ground_->pauses.total_ns() - application.stopped_before_ns) / 1'000'000);
  }
  snapshot->set_gc_watched_ms(static_cast<uint64_t>(MonotonicNs() - application.began_ns) / 1'000'000);
  for (const auto& [kind, name] :
       {std::pair(ThreadBuckets::Kind::kHeap, kNoTaskHeapBytes), std::pair(ThreadBuckets::Kind::kOffHeap, kNoTaskOffHeapBytes),
        std::pair(ThreadBuckets::Kind::kNative, kNoTaskNativeBytes)}) {
    for (const auto& [thread, bytes] : ground_->buckets.Largest(kind, kMostBuckets)) count(name + thread, static_cast<uint64_t>(bytes));
  }
  for (const RefusedBoxes::Named& box : application.given_up->All()) {
    ground_->shortcomings.Add("a Python process in " + box.path, box.why);
  }
  AddNotAvailable(ground_->shortcomings, snapshot);
  if (application.reads->ever_late()) AddNotAvailable("Python processes of some tasks", kSilentBoxes, snapshot);
}

void ExecutorWatch::SendWorkerDeath(const Application& application, const DeadWorker& worker) {
  std::optional<DeathInBox> found = DeathOfWorker(application.Boxes(), worker.process);
  if (!found) return;
  proto::WorkerDeath* death = &found->death;
  if (death->time_ms() == 0) death->set_time_ms(worker.time_ms);
  if (death->signal() == 0) {  // a worker that recorded a signal itself was not killed
    if (const std::optional<KernelKills::Explained> by = worker.take_kill()) {
      death->set_oom_kills(by->kills);
      death->set_outlived_kill_ms(static_cast<uint32_t>(by->outlived.count()));
    } else if (!worker.killed_on_host) {
      death->set_oom_kills(0);
      death->set_counted_on_host(true);
    }
  }
  if (MayHaveEndedByItself(*death)) return;
  if (worker.limit_bytes) death->set_limit_bytes(*worker.limit_bytes);
  if (worker.before) *death->mutable_before() = *worker.before;
  std::string profile = tasks_->SnapshotOf(application, &*found);
  if (!profile.empty()) ground_->messages.Put(std::move(profile));
  ground_->Send(application, [&](proto::Envelope* envelope) { *envelope->mutable_worker_death() = std::move(*death); });
}

void ExecutorWatch::SendProgramDeath(const Application& application, const DeadProgram& program) {
  std::optional<proto::WorkerDeath> death = DeathBelow(application.Boxes(), program.owner);
  if (!death) return;
  death->set_time_ms(program.time_ms);
  death->set_pid(program.process.pid);
  death->set_start_ticks(program.process.start_ticks);
  death->set_program(program.name);
  death->set_oom_kills(1);
  if (program.limit_bytes) death->set_limit_bytes(*program.limit_bytes);
  *death->mutable_before() = program.before;
  ground_->Send(application, [&](proto::Envelope* envelope) { *envelope->mutable_worker_death() = *std::move(death); });
}

// It works for no task, and mostly has no box: spark-submit has started it, or it has started this JVM.
void ExecutorWatch::SendDriverDeath(const Application& application, const DeadProgram& driver) {
  ground_->Send(application, [&](proto::Envelope* envelope) {
    proto::WorkerDeath& death = *envelope->mutable_worker_death();
    death.set_drivers_own(true);
    death.set_task_attempt_id(-1);
    death.set_stage_id(-1);
    death.set_time_ms(driver.time_ms);
    death.set_pid(driver.process.pid);
    death.set_start_ticks(driver.process.start_ticks);
    death.set_oom_kills(1);
    if (driver.limit_bytes) death.set_limit_bytes(*driver.limit_bytes);
    *death.mutable_before() = driver.before;
  });
}

// Last words of other executors on the same host. A JVM whose own heap was full a moment ago leaves them to another: it may end before
// they are sent. The most valuable words are put last, because a queue that is full drops its oldest.
void ExecutorWatch::SendWordsOfTheDead(const Application& application) {
  if (application.request.box_directory.empty() || ground_->left_words.MayEnd(LeftWords::Clock::now())) return;
  FoundWords found = words_.Take(application.request.box_directory, application.request.application_id);
  for (auto word = found.envelopes.rbegin(); word != found.envelopes.rend(); ++word) ground_->messages.Put(std::move(*word));
  for (const FoundWords::Refused& file : found.refused) ground_->shortcomings.Add("the last words in " + file.path, file.why);
}

}  // namespace memprof
