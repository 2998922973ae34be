// Blocks that move, grow, shrink or lose a part: realloc, mremap, munmap. HOOK: see recorder.h.
#include <algorithm>

#include "resident/residency.h"
#include "sites/recorder.h"
#include "sites/recorder_state.h"

namespace memprof {
namespace {

uintptr_t PageEnd(uintptr_t end) { return (end + LiveSet::kPageMask) & ~LiveSet::kPageMask; }  // as the kernel does

}  // namespace

Recorder::Detached Recorder::Detach(uintptr_t address, size_t size) {
  Detached detached;
  if (!MayBeLive(address)) return detached;
  FutexLock lock(state_->mutex);
  if (state_->finished) return detached;
  LiveBlock* block = state_->live.Find(address);
  if (block == nullptr) return detached;
  state_->Take(block, size < block->size, &detached);
  return detached;
}

// A buffer that grows by small steps is taken for each of them: its pages are looked up only as long as there is time for it.
void Recorder::State::Take(LiveBlock* block, bool loses_pages, Detached* detached) {
  if (loses_pages) {
    ReadLastResidency(*block);
  } else if (IsLarge(*block)) {
    looks_at_moves.IfThereIsTime([&] { ReadResidency(*block); });
  }
  detached->session = OwnerOf(*block).value.number;
  detached->block = *block;
  live.Erase(block);
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

void Recorder::Resized(uintptr_t old_address, const Sample& sample) { Resized(Detach(old_address, sample.size), sample); }

// [begin, end) is a part that moves; it need not be a block's start.
Recorder::Detached Recorder::DetachRange(uintptr_t begin, uintptr_t end) {
  Detached detached;
  FutexLock lock(state_->mutex);
  State& state = *state_;
  end = PageEnd(end);
  if (state.finished || begin >= end) return detached;
  const uintptr_t start = state.live.MappingIn(begin, end);
  LiveBlock* block = start == 0 ? nullptr : state.live.Find(start);
  if (block == nullptr) return detached;
  detached.block = *block;
  const uintptr_t whole_end = PageEnd(block->address + block->size);
  if (block->address > begin || whole_end < end) {
    state.CutOut(begin, end);
    state.EndStep(nullptr);
    return detached;
  }
  if (block->address != begin || whole_end != end) {
    const uintptr_t last = block->address + block->size;
    state.ReplaceByParts(block, {{block->address, begin}, {begin, std::min(end, last)}, {end, last}});
    state.EndStep(nullptr);
    block = state.live.Find(begin);
    if (block == nullptr) return detached;
  }
  state.Take(block, false, &detached);
  return detached;
}

void Recorder::UnmappingRange(uintptr_t begin, uintptr_t end) {
  FutexLock lock(state_->mutex);
  State& state = *state_;
  end = PageEnd(end);
  if (state.finished || begin >= end) return;
  const bool followed = state.live.MappingIn(begin, end) != 0;
  if (!followed) {
    if (end - begin >= kLargeBlock) state.ObserveDropping();
    return;
  }
  state.ObserveRss(state.MayBeHighestRss());  // as before a large block is freed
  state.CutOut(begin, end);
  state.EndStep(nullptr);
}

void Recorder::DroppingPages(uint64_t bytes) {
  if (bytes < kLargeBlock) return;
  FutexLock lock(state_->mutex);
  if (!state_->finished) state_->ObserveDropping();
}

void Recorder::State::CutOut(uintptr_t begin, uintptr_t end) {
  while (const uintptr_t start = live.MappingIn(begin, end)) {
    LiveBlock* block = live.Find(start);
    if (block == nullptr) return;
    const uintptr_t last = block->address + block->size;
    ReplaceByParts(block, {{block->address, begin}, {end, last}});
  }
}

void Recorder::State::ReplaceByParts(LiveBlock* block, std::initializer_list<AddressRange> parts) {
  ReadResidency(*block);
  const LiveBlock whole = *block;
  Discharge(whole);
  live.Erase(block);
  for (const AddressRange& part : parts) {
    if (part.begin >= part.end) continue;
    if (live.Full()) {
      Count(&Counters::dropped_live, &box::Session::dropped_live);
      continue;
    }
    LiveBlock rest = whole;
    rest.address = part.begin;
    rest.size = part.end - part.begin;
    const bool exact = whole.weight == whole.size;
    const double share = static_cast<double>(rest.size) / static_cast<double>(whole.size);
    rest.weight = exact ? rest.size : static_cast<uint64_t>(static_cast<double>(whole.weight) * share);
    if (whole.resident != LiveBlock::kUnread) rest.resident = ResidentBytes(rest.address, rest.size);
    ActiveSession& owner = OwnerOf(rest);
    const uint32_t site = SiteOf(rest);
    box::Site& record = sites.Begin(site);
    Touch(owner.value.total, record.share);
    Grow(owner.value.total, record.share, rest.weight, LiveVariance(rest));
    owner.changed = true;
    if (rest.resident != LiveBlock::kUnread) {
      record.share.resident += rest.resident;
      record.share.read_kib += InKib(rest.weight);
    }
    sites.Commit(site);
    live.Insert(rest);
  }
}

}  // namespace memprof
