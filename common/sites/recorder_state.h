// Recorder::State: the recorder's private parts, shared by its hot half (recorder.cc, session_ring.cc) and its cold half
// (recorder_sessions.cc, recorder_restart.cc). All functions expect the lock to be held.
#pragma once

#include <initializer_list>

#include "base/address_range.h"
#include "base/futex_mutex.h"
#include "base/stack_fold.h"
#include "blackbox/box_file.h"
#include "resident/rss_reader.h"
#include "sampling/estimator.h"
#include "sites/intern_tables.h"
#include "sites/live_set.h"
#include "sites/recorder.h"
#include "sites/site_table.h"
#include "sites/young_blocks.h"

namespace memprof {

inline constexpr uint32_t kGenerationMask = 0x7fffffff;  // what a live block keeps of its site's generation

inline double LiveVariance(const LiveBlock& block) {
  return VarianceOf(static_cast<double>(block.weight), static_cast<double>(block.size));
}

// A session that still changes: the process-level session or the open task's. The box has copies of `value`.
struct ActiveSession {
  box::Session value = {};  // number 0: none
  uint32_t slot = 0;
  uint32_t sites = 0;         // without the overflow site
  bool changed = false;       // since it was published
  uint64_t passed_epoch = 0;  // the last maximum that is known to have passed (peak.h)
};

// What the rows of resident memory need: rss_rows.h.
struct RssMeter {
  static constexpr uint64_t kUnknown = ~uint64_t{0};
  static constexpr uint32_t kModules = 512;  // of a box: their references are 1 to kModules
  static constexpr uint32_t kInterpreter = kModules + 1, kArenas = kModules + 2, kNoLibrary = kModules + 3;  // beside them

  RegionTable* regions = nullptr;  // null: rows aren't measured
  ModuleEnd module_end = nullptr;
  uint64_t in_use_before = 0;                     // bytes of malloc's
  uint64_t rss_bytes = 0, highest_rss_bytes = 0;  // of the last moment; of all that was seen
  bool has_retention = false;                     // the last moment has
  TimeBudget budget;
  uint64_t library_bytes[kNoLibrary + 1] = {};
  uint16_t* library_of_site = nullptr;
  bool runtime[kModules + 1] = {};
  RssRowList list;
  MapScratch scratch;
};

struct Recorder::State {
  FutexMutex mutex;
  bool finished = false;
  box::BoxFile file;
  InternTables intern;
  SiteTable sites;
  LiveSet live;
  RssReader rss;
  ActiveSession process, task;
  uint64_t interval = 0;
  uint64_t last_number = 0;  // of a session
  uint32_t thinnings = 0;
  uint32_t folded[kMaxStackDepth];  // of the stack that is being interned: not on the host's
  uint64_t random = 0;
  int64_t next_rss_ns = 0;
  uint64_t rss_bytes = 0;        // RSS when it was last read
  uint64_t live_at_rss = 0;      // live bytes then
  uint64_t rss_swept_bytes = 0;  // RSS at the last sweep
  TimeBudget looks_at_peaks;     // at what was held at a peak that passes
  TimeBudget looks_at_moves;     // at blocks that move or grow
  bool batched = false;          // there are many small steps, so they are written to the box in batches
  uint32_t steps = 0;            // since FlushSteps()
  uint64_t stepped_bytes = 0;    // allocated and freed since then
  // During the step of an allocation: the new block. It has no pages yet, so a reading would wrongly show it as untouched.
  const LiveBlock* newcomer = nullptr;
  uintptr_t put_off = 0;  // address of a new block whose reading was due during its step; 0: none
  YoungBlocks young;
  RssMeter rows;
  Counters totals = {};
  Recorder* recorder = nullptr;
  void* memory = nullptr;  // private mapping that holds everything but the box, this object too
  size_t memory_bytes = 0;

  // recorder.cc: the steps of a sample.
  ActiveSession& Current() { return task.value.number != 0 ? task : process; }
  ActiveSession& OwnerOf(const LiveBlock& block) { return block.task ? task : process; }
  void Count(uint64_t Counters::*total, uint64_t box::Session::*of_session);
  uint32_t SiteFor(ActiveSession& session, uint32_t node, Origin origin, bool large);
  uint32_t SiteOf(const LiveBlock& block);
  uint32_t OverflowSite(ActiveSession& session, Origin origin);
  void Evict(uint32_t site);
  LiveBlock* Charge(const Sample& sample);
  void Discharge(const LiveBlock& block);
  void ReadResidency(LiveBlock& block);
  void ReadUnlessTooEarly(LiveBlock& block);
  void NoteResidency(LiveBlock& block, uint64_t reading);
  void EndStep(LiveBlock* obtained);
  void FlushSteps();
  void Publish(ActiveSession& session);
  void ReadLastResidency(LiveBlock& block);
  uint64_t LiveBytes() const { return process.value.total.live + task.value.total.live; }
  bool MayBeHighestRss() const;
  void ObserveRss(bool at_once);   // otherwise a few hundred times a second at most
  void ObserveDropping();          // kLargeBlock and more are being given back
  void SweepResidency(bool last);  // last: young blocks, too
  // recorder_moves.cc.
  void Take(LiveBlock* block, bool loses_pages, Detached* detached);  // out of the live set; totals unchanged
  void CutOut(uintptr_t begin, uintptr_t end);                        // of every mapping that overlaps it
  // The parts keep the block's site and the time of its allocation; what is in none of them is freed.
  void ReplaceByParts(LiveBlock* block, std::initializer_list<AddressRange> parts);
  void ObservePeaks();
  bool MayThin() const;
  void Thin();
  uint64_t ExemptFromThinning() const;
  uint64_t NextRandom();

  // recorder_rss.cc: what the process's resident memory is made of.
  uint32_t LibraryOf(uint32_t node) const;
  void MeasureLibraries();
  void AddLibraries(RssRowList& list);
  void MeasureRss(uint64_t free_bytes);
  void PublishRss();
  void MeasureRssIfGrown(int64_t now_ns);

  // recorder_incidents.cc. Needs the lock only against others of the same kind.
  const box::Incident& KeptIncident(box::IncidentKind kind);
  void PutIncident(box::IncidentKind kind, const box::Incident& incident);

  // session_ring.cc: the ring of sessions that wait to be read.
  box::SessionSlot* slots() const { return file.table<box::SessionSlot>(box::kSessionTable); }
  uint32_t WaitingSessions() const;
  bool RecycleAcknowledged();  // true when something became free
  bool DropOldestWaiting();    // likewise
  void FreeSlot(uint32_t slot);

  // recorder_sessions.cc, cold.
  void OpenIn(uint32_t slot, ActiveSession& session, const TaskIdentity& identity);
  void CloseTask();
  void PassOnSurvivors();
  void Adopt(LiveBlock& block, uint32_t site);

  // recorder_restart.cc, cold.
  bool TablesMayRestart() const { return intern.NearlyFull() && WaitingSessions() == 0; }
  void RestartTables();
  void RestartWhileWaiting();  // for a task, with a session that is open already
  void EmptyTables();
  void ForgetAllBlocks();
};

}  // namespace memprof
