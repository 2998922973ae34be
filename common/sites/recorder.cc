// The hot half of the recorder: everything a hook reaches. See recorder.h for the rules of this room.
#include "sites/recorder.h"

#include "base/clock.h"
#include "base/stack_fold.h"
#include "sites/recorder_state.h"

namespace memprof {
namespace {

constexpr uint32_t kEvictionsPerSite = 4;
constexpr uint32_t kMostThinnings = 40;  // weights are shifted by this number
// This many steps are written to the box together; a kill may lose them.
constexpr uint32_t kMostSteps = 64;
constexpr uint64_t kMostSteppedBytes = 256 << 10;

}  // namespace

void Recorder::State::Count(uint64_t Counters::*total, uint64_t box::Session::*of_session) {
  ++(totals.*total);
  ++(Current().value.*of_session);
}

uint64_t Recorder::State::NextRandom() {
  random += 0x9e3779b97f4a7c15u;
  return Mix64(random);
}

// ---- stacks and sites

uint32_t Recorder::State::OverflowSite(ActiveSession& session, Origin origin) {
  return sites.Overflow(session.slot, session.value.number, origin, session.value.total);
}

uint32_t Recorder::State::SiteOf(const LiveBlock& block) {
  if ((sites.generation(block.site) & kGenerationMask) == block.generation) return block.site;
  return OverflowSite(OwnerOf(block), Origin::kUnknown);  // the block's site was evicted, and its live bytes moved there
}

void Recorder::State::Evict(uint32_t site) {
  box::Site gone = sites.Read(site);  // a copy
  sites.Remove(site);                 // first: it may flush the table, and what is being written then
  ActiveSession& session = gone.session == task.value.number ? task : process;
  const PeakTotal& total = session.value.total;
  uint32_t overflow = OverflowSite(session, static_cast<Origin>(gone.origin));
  box::Site& rest = sites.Begin(overflow);
  Touch(total, gone.share);
  Touch(total, rest.share);
  rest.allocated_bytes += gone.allocated_bytes;
  rest.allocations += gone.allocations;
  rest.variance += gone.variance;
  rest.sampled |= gone.sampled;
  rest.share.live += gone.share.live;
  rest.share.live_at_peak += gone.share.live_at_peak;
  rest.share.resident += gone.share.resident;
  rest.share.resident_at_peak += gone.share.resident_at_peak;
  rest.share.variance += gone.share.variance;
  rest.share.variance_at_peak += gone.share.variance_at_peak;
  rest.share.read_kib += gone.share.read_kib;
  rest.share.read_kib_at_peak += gone.share.read_kib_at_peak;
  rest.share.later_kib_at_peak += gone.share.later_kib_at_peak;
  sites.Commit(overflow);
  --session.sites;
  Count(&Counters::evicted_sites, &box::Session::evicted_sites);
}

uint32_t Recorder::State::SiteFor(ActiveSession& session, uint32_t node, Origin origin, bool large) {
  uint32_t site = sites.Find(session.value.number, node, origin);
  if (site != SiteTable::kNoSite) return site;
  auto add = [&] {
    site = sites.Add(session.value.number, node, origin, large, session.value.total);
    if (site != SiteTable::kNoSite) ++session.sites;
    return site != SiteTable::kNoSite;
  };
  if (add() || (RecycleAcknowledged() && add())) return site;
  // A task may take up to a quarter of the table from sessions that wait to be read; beyond that, sites of open sessions are evicted.
  while (&session == &task && session.sites < sites.ordinary() / 4 && DropOldestWaiting()) {
    if (add()) return site;
  }
  for (uint32_t i = 0; i < kEvictionsPerSite; ++i) {
    uint32_t victim = sites.Victim(process.value, task.value, large);
    if (victim == SiteTable::kNoSite) break;
    Evict(victim);
    if (add()) return site;
  }
  Count(&Counters::dropped_sites, &box::Session::dropped_sites);
  return OverflowSite(session, origin);
}

// ---- the live set

uint64_t Recorder::State::ExemptFromThinning() const {
  if (thinnings >= 20) return kLargeBlock;  // the shift below would exceed kLargeBlock
  uint64_t threshold = kExactIntervals * (interval == 0 ? 1 : interval) << thinnings;
  return threshold < kLargeBlock ? threshold : kLargeBlock;
}

// False where most blocks are large: these are not thinned, so a sweep for each sample would gain little.
bool Recorder::State::MayThin() const { return thinnings < kMostThinnings && live.large_count() < live.count() / 4 * 3; }

void Recorder::State::Thin() {
  ++thinnings;
  Count(&Counters::interval_doublings, &box::Session::interval_doublings);
  const uint64_t exempt = ExemptFromThinning();
  live.Sweep([&](LiveBlock& block) {
    if (block.size >= exempt || block.resident != LiveBlock::kUnread) return true;
    ActiveSession& owner = OwnerOf(block);
    uint32_t site = SiteOf(block);
    box::Site& record = sites.Begin(site);
    Touch(owner.value.total, record.share);
    Shrink(owner.value.total, record.share, block.weight, LiveVariance(block));
    bool keep = (NextRandom() & 1) != 0;
    if (keep) {
      block.weight *= 2;
      Grow(owner.value.total, record.share, block.weight, LiveVariance(block));
    }
    record.sampled = 1;
    sites.Commit(site);
    return keep;
  });
  for (ActiveSession* session : {&process, &task}) {
    if (session->value.number == 0) continue;
    Settle(session->value.total);
    Publish(*session);
  }
}

// ---- the steps of a sample

// Writes sites first: if a reader finds them newer than their session, they still have their figures of the session's peak.
void Recorder::State::Publish(ActiveSession& session) {
  sites.Flush();
  session.changed = false;
  box::SessionSlot& slot = slots()[session.slot];
  slot.session.Begin() = session.value;
  slot.session.Commit(box::RecordSeed(box::kSessionTable, session.slot));
}

// Subtracts a freed block from its site; the block has been removed from the live set, or is about to be.
void Recorder::State::Discharge(const LiveBlock& block) {
  ActiveSession& owner = OwnerOf(block);
  uint32_t site = SiteOf(block);
  box::Site& record = sites.Begin(site);
  Touch(owner.value.total, record.share);
  Shrink(owner.value.total, record.share, block.weight, LiveVariance(block));
  owner.changed = true;
  stepped_bytes += block.size;
  if (block.resident != LiveBlock::kUnread) ForgetReading(record.share, block.weight, block.resident);
  sites.Commit(site);
}

LiveBlock* Recorder::State::Charge(const Sample& sample) {
  ActiveSession& session = sample.of_no_task ? process : Current();
  session.changed = true;
  stepped_bytes += sample.size;
  Count(&Counters::samples, &box::Session::samples);
  bool follow = sample.address != 0;
  uint64_t live_weight = sample.weight;
  bool thinned = thinnings > 0 && sample.size < ExemptFromThinning();
  if (follow && thinned) {
    follow = (NextRandom() & ((uint64_t{1} << thinnings) - 1)) == 0;
    live_weight <<= thinnings;
  }
  if (follow) {
    // The earlier block at this address was freed unseen.
    if (LiveBlock* unseen = live.Find(sample.address)) {
      Discharge(*unseen);
      live.Erase(unseen);
    }
    if (live.Full() && MayThin()) {
      Thin();
      if (sample.size < ExemptFromThinning()) {
        follow = (NextRandom() & 1) != 0;
        live_weight *= 2;
        thinned = true;
      }
    }
    if (follow && live.Full()) {
      Count(&Counters::dropped_live, &box::Session::dropped_live);
      follow = false;
    }
  }

  uint32_t site;
  const uint32_t node = sample.stack == kStackWithoutRoom ? 0 : Untag(intern.epoch(), sample.stack);
  if (node != 0 || sample.stack == kNoStack) {
    site = SiteFor(session, node, sample.origin, sample.size >= kLargeBlock);
  } else {
    Count(&Counters::dropped_sites, &box::Session::dropped_sites);
    site = OverflowSite(session, sample.origin);
  }
  box::Site& record = sites.Begin(site);
  Touch(session.value.total, record.share);
  record.allocated_bytes += sample.weight;
  record.allocations += sample.blocks;
  record.variance += VarianceOf(static_cast<double>(sample.weight), static_cast<double>(sample.size));
  if (sample.weight != sample.size || sample.blocks != 1 || thinned) record.sampled = 1;
  session.value.allocated_bytes += sample.weight;
  LiveBlock* inserted = nullptr;
  if (follow) {
    LiveBlock block;
    block.address = sample.address;
    block.size = sample.size;
    block.weight = live_weight;
    block.site = site;
    block.generation = sites.generation(site) & kGenerationMask;
    block.task = &session == &task;
    inserted = live.Insert(block);
    if (IsLarge(block)) {
      young.Add(block.address, MonotonicNs());
      // What stood there when profiling began was unmapped unseen: free() of such a block calls no hook for munmap.
      if (rows.regions != nullptr) rows.regions->RemoveOfKind(RegionKind::kBefore, block.address, block.address + block.size);
    }
    Grow(session.value.total, record.share, block.weight, LiveVariance(block));
  }
  sites.Commit(site);
  return inserted;
}

void Recorder::State::EndStep(LiveBlock* obtained) {
  for (ActiveSession* session : {&process, &task}) {
    if (!session->changed) continue;
    bool higher = Settle(session->value.total);
    if (obtained != nullptr && &OwnerOf(*obtained) == session) obtained->first_peak = FirstPeak(session->value.total, higher);
  }
  newcomer = obtained;
  ObservePeaks();
  if (!batched || ++steps >= kMostSteps || stepped_bytes >= kMostSteppedBytes) FlushSteps();
  newcomer = nullptr;
}

// Writes all changes to the box.
void Recorder::State::FlushSteps() {
  steps = 0;
  stepped_bytes = 0;
  for (ActiveSession* session : {&process, &task}) {
    if (session->changed) Publish(*session);
  }
  ObserveRss(false);
}

// ---- what hooks call

FrameId Recorder::InternPythonFrame(StringRef function, StringRef file, uint32_t line, uint32_t first_line) {
  FutexLock lock(state_->mutex);
  if (state_->finished) return kNoFrame;
  uint32_t reference = state_->intern.PythonFrame(function, file, line, first_line);
  if (reference == 0) state_->Count(&Counters::dropped_frames, &box::Session::dropped_frames);
  return Tag(state_->intern.epoch(), reference);
}

FrameId Recorder::InternNativeFrame(uint32_t module, uint64_t offset) {
  FutexLock lock(state_->mutex);
  if (state_->finished) return kNoFrame;
  // A frame interned without its module would lack it for the whole epoch. So it is dropped; the next caller has the module's new number.
  const uint32_t known = Untag(state_->intern.epoch(), module);
  const bool outdated = module != 0 && known == 0;
  const uint32_t reference = outdated ? 0 : state_->intern.NativeFrame(known, offset);
  if (reference == 0) state_->Count(&Counters::dropped_frames, &box::Session::dropped_frames);
  return Tag(state_->intern.epoch(), reference);
}

uint32_t Recorder::InternModule(StringRef path, StringRef build_id_hex) {
  FutexLock lock(state_->mutex);
  if (state_->finished) return 0;
  return Tag(state_->intern.epoch(), state_->intern.Module(path, build_id_hex));
}

BoxStackId Recorder::InternStack(const FrameId* frames, uint32_t depth, uint64_t block_bytes) {
  FutexLock lock(state_->mutex);
  State& state = *state_;
  if (state.finished || depth == 0) return kNoStack;
  const uint32_t folded = FoldStack(frames, depth, state.folded);
  uint32_t known = 0;
  for (uint32_t i = 0; i < folded; ++i) {
    const uint32_t reference = Untag(state.intern.epoch(), state.folded[i]);
    if (reference != 0) {
      state.folded[known++] = reference;
    } else if (state.folded[i] != kNoFrame) {
      state.Count(&Counters::dropped_frames, &box::Session::dropped_frames);  // a stale id; a full table was counted at interning
    }
  }
  const uint32_t node = state.intern.Stack(state.folded, known, block_bytes >= kLargeBlock);
  return node == 0 ? kStackWithoutRoom : Tag(state.intern.epoch(), node);
}

void Recorder::Prefetch(uintptr_t address) const { state_->live.Prefetch(address); }

void Recorder::Allocated(const Sample& sample) {
  FutexLock lock(state_->mutex);
  if (state_->finished) return;
  state_->EndStep(state_->Charge(sample));
}

void Recorder::Freeing(uintptr_t address) {
  if (!MayBeLive(address)) return;
  FutexLock lock(state_->mutex);
  if (state_->finished) return;
  LiveBlock* block = state_->live.Find(address);
  if (block == nullptr) return;
  // Freeing a large block may end the peak. If a reading is due, it is made now, while the block still has its pages and is known.
  if (IsLarge(*block)) state_->ObserveRss(state_->MayBeHighestRss());
  state_->ReadLastResidency(*block);
  state_->Discharge(*block);
  state_->live.Erase(block);
  state_->EndStep(nullptr);
}

Recorder::Counters Recorder::counters() const {
  FutexLock lock(state_->mutex);
  return state_->totals;
}

const char* Recorder::box_path() const { return state_->file.path; }

}  // namespace memprof
