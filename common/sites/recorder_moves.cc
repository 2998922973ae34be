// Blocks that move, grow, shrink or lose a part: realloc, mremap, munmap. HOOK: see recorder.h.
#include "resident/residency.h"
#include "sites/recorder.h"
#include "sites/recorder_state.h"

namespace memprof {

Recorder::Detached Recorder::Detach(uintptr_t address) {
  Detached detached;
  if (!MayBeLive(address)) return detached;
  FutexLock lock(state_->mutex);
  if (state_->finished) return detached;
  LiveBlock* block = state_->live.Find(address);
  if (block == nullptr) return detached;
  state_->ReadResidency(*block);
  detached.session = state_->OwnerOf(*block).value.number;
  detached.block = *block;
  state_->live.Erase(block);
  return detached;
}

void Recorder::Reattach(const Detached& old) {
  if (old.session == 0) return;
  const LiveBlock& block = old.block;
  FutexLock lock(state_->mutex);
  if (state_->finished || state_->OwnerOf(block).value.number != old.session) return;
  if (state_->live.Full()) {
    state_->Discharge(block);
    state_->Count(&Counters::dropped_live, &box::Session::dropped_live);
    state_->EndStep(nullptr);
    return;
  }
  state_->live.Insert(block);
}

void Recorder::Resized(const Detached& old, const Sample& sample) {
  FutexLock lock(state_->mutex);
  if (state_->finished) return;
  const LiveBlock& block = old.block;
  if (old.session != 0 && state_->OwnerOf(block).value.number == old.session) state_->Discharge(block);
  state_->EndStep(state_->Charge(sample));
}

void Recorder::Release(const Detached& old) {
  if (old.session == 0) return;
  const LiveBlock& block = old.block;
  FutexLock lock(state_->mutex);
  if (state_->finished || state_->OwnerOf(block).value.number != old.session) return;
  state_->Discharge(block);
  state_->EndStep(nullptr);
}

void Recorder::Resized(uintptr_t old_address, const Sample& sample) { Resized(Detach(old_address), sample); }

void Recorder::UnmappingRange(uintptr_t begin, uintptr_t end) {
  FutexLock lock(state_->mutex);
  State& state = *state_;
  end = (end + LiveSet::kPageMask) & ~LiveSet::kPageMask;  // as the kernel does
  if (state.finished || begin >= end) return;
  bool changed = false;
  if (state.live.MappingIn(begin, end) != 0) state.ObserveRss(state.MayBeHighestRss());  // as before a large block is freed
  while (uintptr_t start = state.live.MappingIn(begin, end)) {
    LiveBlock* found = state.live.Find(start);
    if (found == nullptr) break;
    changed = true;
    state.ReadResidency(*found);
    const LiveBlock whole = *found;
    state.Discharge(whole);
    state.live.Erase(found);
    const uintptr_t whole_end = whole.address + whole.size;
    // The parts before and behind the hole stay live and keep the time of their allocation.
    const struct {
      uintptr_t begin, end;
    } pieces[] = {{whole.address, begin < whole.address ? whole.address : begin}, {end < whole_end ? end : whole_end, whole_end}};
    for (const auto& piece : pieces) {
      if (piece.begin >= piece.end) continue;
      if (state.live.Full()) {
        state.Count(&Counters::dropped_live, &box::Session::dropped_live);
        continue;
      }
      LiveBlock rest = whole;
      rest.address = piece.begin;
      rest.size = piece.end - piece.begin;
      bool exact = whole.weight == whole.size;
      double share = static_cast<double>(rest.size) / static_cast<double>(whole.size);
      rest.weight = exact ? rest.size : static_cast<uint64_t>(static_cast<double>(whole.weight) * share);
      if (whole.resident != LiveBlock::kUnread) rest.resident = ResidentBytes(rest.address, rest.size);
      ActiveSession& owner = state.OwnerOf(rest);
      uint32_t site = state.SiteOf(rest);
      box::Site& record = state.sites.Begin(site);
      Touch(owner.value.total, record.share);
      Grow(owner.value.total, record.share, rest.weight, LiveVariance(rest));
      owner.changed = true;
      if (rest.resident != LiveBlock::kUnread) {
        record.share.resident += rest.resident;
        record.share.read_kib += InKib(rest.weight);
      }
      state.sites.Commit(site);
      state.live.Insert(rest);
    }
  }
  if (changed) state.EndStep(nullptr);
}

}  // namespace memprof
