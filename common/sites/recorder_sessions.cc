// The cold half of the recorder: its life and its sessions. Nothing here runs in hooks.
#include <sys/mman.h>

#include <new>

#include "base/clock.h"
#include "sites/recorder.h"
#include "sites/recorder_state.h"

namespace memprof {
namespace {

constexpr size_t kLeastBoxBytes = 1u << 20;
constexpr size_t kExactLiveBytes = 128u << 20;
constexpr size_t kRssBytes = 48u << 10;  // of the rows of resident memory, in the box and beside it
constexpr size_t kUdfBytes = box::kSessions * box::kUdfsPerSession * sizeof(box::Udf);
constexpr uint64_t kLeastIntervalForSingleSteps = 4096;  // bytes; below this there are hundreds of samples a second, too many to write each

// How `box_bytes` are divided: about half goes to the file, the rest to live set, filter and indexes.
box::Plan PlanFor(size_t box_bytes) {
  box::Plan plan;
  plan.sites = static_cast<uint32_t>(box_bytes / 1024);
  plan.nodes = static_cast<uint32_t>(box_bytes / 192);
  plan.frames = static_cast<uint32_t>(box_bytes / 448);
  plan.modules = RssMeter::kModules;
  plan.string_bytes = static_cast<uint32_t>(box_bytes / 7);
  return plan;
}

uint32_t LiveSlotsFor(size_t box_bytes, uint64_t interval) {
  return static_cast<uint32_t>((interval <= 1 ? kExactLiveBytes : box_bytes * 2 / 7 - kRssBytes - kUdfBytes) / sizeof(LiveBlock));
}

}  // namespace

Result<Recorder*> Recorder::Create(const RecorderOptions& options) {
  if (options.box_bytes < kLeastBoxBytes || options.box_bytes > (size_t{64} << 20)) {
    return Status::Error(ErrorCode::kInvalidArgument, "a black box of %zu bytes: from 1 MiB to 64 MiB are possible", options.box_bytes);
  }
  const box::Plan plan = PlanFor(options.box_bytes);
  const uint32_t live_slots = LiveSlotsFor(options.box_bytes, options.interval_bytes);

  auto lay_out = [&](Arena& arena) {
    arena.Take<Recorder>(1);
    arena.Take<State>(1);
    InternTables::Measure(plan, arena);
    SiteTable::Measure(plan, arena);
    LiveSet::Measure(live_slots, arena);
    arena.Take<uint16_t>(plan.sites);
  };
  Arena needed;
  lay_out(needed);
  void* memory = mmap(nullptr, needed.used(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return Status::Error(ErrorCode::kExhausted, "no address space for %zu bytes of the profiler's tables", needed.used());
  }
  // Look-ups in a table of all blocks are scattered: with pages of 4 KiB each look-up would miss the TLB.
  if (options.interval_bytes <= 1) madvise(memory, needed.used(), MADV_HUGEPAGE);
  Arena arena(memory, needed.used());
  Recorder* recorder = new (arena.Take<Recorder>(1)) Recorder();
  State* state = new (arena.Take<State>(1)) State();
  recorder->state_ = state;
  state->recorder = recorder;
  state->memory = memory;
  state->memory_bytes = needed.used();
  state->interval = options.interval_bytes;
  state->batched = options.interval_bytes < kLeastIntervalForSingleSteps;
  state->rows.regions = options.regions;
  state->rows.module_end = options.module_end;
  state->rows.in_use_before = options.in_use_before_bytes;
  Status made = box::BoxFile::Create({.directory = options.box_directory,
                                      .application_id = options.application_id,
                                      .executor_id = options.executor_id,
                                      .python_version = options.python_version,
                                      .interval_bytes = options.interval_bytes,
                                      .started_by_task = options.started_by_task,
                                      .plan = plan},
                                     &state->file);
  if (!made.ok()) {
    munmap(memory, needed.used());
    return made;
  }
  state->intern.Attach(state->file, arena);
  state->sites.Attach(state->file, arena);
  if (state->batched) state->sites.Batch();
  state->live.Attach(live_slots, arena);
  state->rows.library_of_site = arena.Take<uint16_t>(plan.sites);
  state->random = Mix64(static_cast<uint64_t>(MonotonicNs()) ^ reinterpret_cast<uintptr_t>(memory));
  state->rss.Open();
  state->rss_swept_bytes = state->rss.Read();
  recorder->filter_ = state->live.filter();
  recorder->intern_epoch_ = state->intern.epoch();
  state->OpenIn(0, state->process, TaskIdentity());
  return recorder;
}

void Recorder::AbandonInChild(Recorder* inherited) {
  if (inherited == nullptr) return;
  State& state = *inherited->state_;
  state.file.Close();
  state.rss.Close();
  munmap(state.memory, state.memory_bytes);
}

void Recorder::Finish() {
  FutexLock lock(state_->mutex);
  if (state_->finished) return;
  if (state_->task.value.number != 0) state_->CloseTask();
  state_->RecycleAcknowledged();
  if (state_->WaitingSessions() == 0) state_->file.Remove();
  state_->finished = true;
  state_->file.Close();
  state_->rss.Close();
}

// ---- sessions

void Recorder::State::OpenIn(uint32_t slot, ActiveSession& session, const TaskIdentity& identity) {
  session = {};
  session.slot = slot;
  session.value.number = ++last_number;
  session.value.task_attempt_id = identity.task_attempt_id;
  session.value.stage_id = identity.stage_id;
  session.value.stage_attempt = identity.stage_attempt;
  session.value.partition = identity.partition;
  session.value.attempt_number = identity.attempt_number;
  session.value.state = box::kOpen;
  session.value.intern_epoch = intern.epoch();
  session.value.interval_doublings = thinnings;
  session.value.opened_ms = EpochMs();
  session.value.rss_at_open_bytes = session.value.rss_max_bytes = rss_swept_bytes = rss_bytes = rss.Read();
  live_at_rss = LiveBytes();
  Publish(session);
}

void Recorder::OpenSession(const TaskIdentity& identity) {
  FutexLock lock(state_->mutex);
  State& state = *state_;
  if (state.finished) return;
  if (state.task.value.number != 0) state.CloseTask();
  state.RecycleAcknowledged();
  if (state.TablesMayRestart()) state.RestartTables();
  if (state.live.MostlyFree()) state.thinnings = 0;  // a task before held very many blocks; each that is left keeps its weight
  uint32_t slot = 1;
  while (slot < box::kSessions && state.slots()[slot].session.Current().state != box::kFree) ++slot;
  if (slot == box::kSessions) {
    state.DropOldestWaiting();
    slot = 1;
    while (state.slots()[slot].session.Current().state != box::kFree) ++slot;
  }
  state.OpenIn(slot, state.task, identity);
}

void Recorder::SetTask(const TaskIdentity& identity) {
  FutexLock lock(state_->mutex);
  ActiveSession& task = state_->task;
  if (state_->finished || task.value.number == 0) return;
  // A reused worker opens its next session when it begins to wait for a task. The waiting time belongs to no task; other workers may
  // serve the same task meanwhile. And the task before it has mostly been read by now.
  if (task.value.task_attempt_id < 0) {
    if (state_->intern.NearlyFull()) {
      state_->RecycleAcknowledged();
      if (state_->TablesMayRestart()) state_->RestartWhileWaiting();
    }
    task.value.opened_ms = EpochMs();
  }
  task.value.task_attempt_id = identity.task_attempt_id;
  task.value.stage_id = identity.stage_id;
  task.value.stage_attempt = identity.stage_attempt;
  task.value.partition = identity.partition;
  task.value.attempt_number = identity.attempt_number;
  state_->Publish(task);
}

bool Recorder::AddUdf(StringRef name, StringRef file, uint32_t line, StringRef kind, bool is_generator) {
  FutexLock lock(state_->mutex);
  ActiveSession& task = state_->task;
  if (state_->finished || task.value.number == 0) return true;
  if (task.value.udfs == box::kUdfsPerSession) return false;  // before their names take room
  bool has_room = true;
  box::Udf udf = {};
  udf.session = task.value.number;
  udf.name = state_->intern.String(name, &has_room);
  udf.file = state_->intern.String(file, &has_room);
  udf.kind = state_->intern.String(kind, &has_room);
  udf.line = line;
  udf.is_generator = is_generator ? 1 : 0;
  box::Udf* udfs = state_->file.table<box::Udf>(box::kUdfTable);
  uint32_t first = task.slot * box::kUdfsPerSession;
  for (uint32_t i = first; i < first + task.value.udfs; ++i) {
    if (udfs[i].name == udf.name && udfs[i].file == udf.file && udfs[i].kind == udf.kind && udfs[i].line == udf.line) return true;
  }
  uint32_t index = first + task.value.udfs;
  udf.check = box::CheckOf(udf, index);
  udfs[index] = udf;
  ++task.value.udfs;
  state_->Publish(task);
  return true;
}

void Recorder::SetCounter(StringRef name, uint64_t value) {
  FutexLock lock(state_->mutex);
  ActiveSession& task = state_->task;
  if (state_->finished || task.value.number == 0) return;
  bool has_room = true;
  uint32_t text = state_->intern.String(name, &has_room);
  if (text == 0) return;
  auto* counters = state_->file.table<box::TwoCopies<box::Counter>>(box::kCounterTable);
  uint32_t first = task.slot * box::kCountersPerSession;
  uint32_t index = first;
  while (index < first + task.value.counters && counters[index].Current().name != text) ++index;
  if (index == first + box::kCountersPerSession) return;
  counters[index].Begin() = {task.value.number, value, text, 0};
  counters[index].Commit(box::RecordSeed(box::kCounterTable, index));
  if (index < first + task.value.counters) return;
  ++task.value.counters;
  state_->Publish(task);
}

// True if the resident set is within 5 % of the largest that was seen, and the last moment has no retention or was smaller.
bool Recorder::RssWanted() {
  FutexLock lock(state_->mutex);
  const RssMeter& rows = state_->rows;
  if (state_->finished || rows.regions == nullptr) return false;
  const uint64_t rss = state_->rss.Read();
  return rss >= rows.highest_rss_bytes / 20 * 19 && (!rows.has_retention || rss > rows.rss_bytes + rows.rss_bytes / 100);
}

void Recorder::MeasureRssAtEnd(uint64_t free_bytes) {
  FutexLock lock(state_->mutex);
  if (!state_->finished && state_->rows.regions != nullptr) state_->MeasureRss(free_bytes);
}

void Recorder::CloseSession() {
  FutexLock lock(state_->mutex);
  if (!state_->finished && state_->task.value.number != 0) state_->CloseTask();
}

void Recorder::State::CloseTask() {
  SweepResidency(true);
  uint64_t bytes = rss.Read();
  if (bytes > task.value.rss_max_bytes) task.value.rss_max_bytes = bytes;
  task.value.state = box::kClosed;
  task.value.closed_ms = EpochMs();
  sites.Flush();
  task.value.seal = sites.Seal(task.value.number);
  Publish(task);
  PassOnSurvivors();
  task = {};
}

// Moves the blocks that outlive their task to the process-level session, under the same stacks.
void Recorder::State::PassOnSurvivors() {
  const uint64_t closed = task.value.number;
  task.value.number = 0;  // its sites must not be evicted any more
  live.Sweep([&](LiveBlock& block) {
    if (!block.task) return true;
    const box::Site& from = sites.Read(block.site);
    const bool known = from.session == closed && (sites.generation(block.site) & kGenerationMask) == block.generation;
    const Origin origin = static_cast<Origin>(known ? from.origin : sites.Read(sites.OverflowOf(task.slot)).origin);
    Adopt(block, known ? SiteFor(process, from.node, origin, block.size >= kLargeBlock) : OverflowSite(process, origin));
    return true;
  });
  if (batched) Publish(process);
}

// From now on the block belongs to a site of the process-level session.
void Recorder::State::Adopt(LiveBlock& block, uint32_t site) {
  box::Site& record = sites.Begin(site);
  Touch(process.value.total, record.share);
  block.task = 0;
  block.site = site;
  block.generation = sites.generation(site) & kGenerationMask;
  Grow(process.value.total, record.share, block.weight, LiveVariance(block));
  if (block.weight != block.size) record.sampled = 1;
  sites.Commit(site);
  block.first_peak = FirstPeak(process.value.total, Settle(process.value.total));
  if (!batched) Publish(process);
  if (block.resident == LiveBlock::kUnread) return;
  box::Site& again = sites.Begin(site);
  Touch(process.value.total, again.share);
  NoteFirstReading(process.value.total, again.share, block.first_peak, block.weight, block.resident, false);
  sites.Commit(site);
}

}  // namespace memprof
