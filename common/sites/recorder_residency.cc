// When the pages of large blocks, and of the whole process, are looked up. HOOK: see recorder.h.
#include <utility>

#include "base/clock.h"
#include "resident/residency.h"
#include "sites/recorder.h"
#include "sites/recorder_state.h"

namespace memprof {
namespace {

constexpr int64_t kRssPeriodNs = 5'000'000, kDropPeriodNs = 1'000'000;

}  // namespace

void Recorder::State::ReadResidency(LiveBlock& block) {
  if (!IsLarge(block) || block.resident == block.size) return;
  if (&block == newcomer) {
    put_off = block.address;
    return;
  }
  NoteResidency(block, ResidentBytes(block.address, block.size));
}

// For a block that stays: one of the newest is read again when it is older, another one when the process has grown.
void Recorder::State::ReadUnlessTooEarly(LiveBlock& block) {
  if (!IsLarge(block) || block.resident != LiveBlock::kUnread || &block == newcomer) {
    ReadResidency(block);
    return;
  }
  const uint64_t reading = ResidentBytes(block.address, block.size);
  if (!young.IsTooEarly(block.address, block.size, reading, MonotonicNs())) NoteResidency(block, reading);
}

void Recorder::State::NoteResidency(LiveBlock& block, uint64_t reading) {
  bool first = block.resident == LiveBlock::kUnread;
  if (!first && reading <= block.resident) return;
  ActiveSession& owner = OwnerOf(block);
  const bool passed = owner.passed_epoch == owner.value.total.epoch;
  uint32_t site = SiteOf(block);
  box::Site& record = sites.Begin(site);
  Touch(owner.value.total, record.share);
  if (first) {
    NoteFirstReading(owner.value.total, record.share, block.first_peak, block.weight, reading, passed);
  } else {
    NoteReading(owner.value.total, record.share, block.first_peak, block.resident, reading, passed);
  }
  sites.Commit(site);
  block.resident = reading;
}

// Reads a block that is freed in this step. A block that wasn't live at the peak is skipped: it can't belong to it any more.
void Recorder::State::ReadLastResidency(LiveBlock& block) {
  if (WasLiveAtPeak(OwnerOf(block).value.total, block.first_peak)) ReadResidency(block);
}

void Recorder::State::SweepResidency(bool last) {
  live.VisitLarge([this, last](LiveBlock& block) { last ? ReadResidency(block) : ReadUnlessTooEarly(block); });
  for (ActiveSession* session : {&process, &task}) {
    if (session->value.number == 0) continue;
    session->value.looked_ms = EpochMs();
    Publish(*session);
  }
}

// Reads what was held at a peak when the peak has just passed. Without time for it, what is read later counts as seen later.
void Recorder::State::ObservePeaks() {
  for (ActiveSession* session : {&process, &task}) {
    const PeakTotal& total = session->value.total;
    if (session->passed_epoch == total.epoch || !HasPassed(total)) continue;
    const auto look = [&] {
      live.VisitLarge([&](LiveBlock& block) {
        if (&OwnerOf(block) == session && WasLiveAtPeak(session->value.total, block.first_peak)) ReadUnlessTooEarly(block);
      });
    };
    if (live.large_count() != 0) looks_at_peaks.IfThereIsTime(look);
    session->passed_epoch = total.epoch;
  }
}

// Whether the resident set may be larger than ever in this session, judged by the bytes allocated since it was read. They may be
// untouched; one reading too many is better than one too few.
bool Recorder::State::MayBeHighestRss() const {
  const uint64_t live_now = LiveBytes();
  const uint64_t grown = live_now > live_at_rss ? live_now - live_at_rss : 0;
  return rss_bytes + grown > (task.value.number != 0 ? task : process).value.rss_max_bytes;
}

void Recorder::State::ObserveRss(bool at_once) {
  int64_t now = MonotonicNs();
  if (now < next_rss_ns && !at_once) return;
  next_rss_ns = now + kRssPeriodNs;
  uint64_t bytes = rss_bytes = rss.Read();
  live_at_rss = LiveBytes() - (newcomer == nullptr ? 0 : newcomer->weight);
  if (LiveBlock* block = put_off == 0 ? nullptr : live.Find(std::exchange(put_off, 0))) ReadUnlessTooEarly(*block);
  young.TakeGrown(now, [this](uintptr_t address) {
    if (LiveBlock* block = live.Find(address); block != nullptr && block->resident == LiveBlock::kUnread) ReadResidency(*block);
  });
  ActiveSession& session = Current();
  if (bytes > session.value.rss_max_bytes) {
    session.value.rss_max_bytes = bytes;
    Publish(session);
  }
  MeasureRssIfGrown(now);
  if (bytes <= rss_swept_bytes + rss_swept_bytes / 20) return;
  rss_swept_bytes = bytes;
  SweepResidency(false);
}

// A pool's pages have come without any allocation that is known here, so nothing but a reading tells whether they are the most so far.
// It gives them back in pieces: the first one counts.
void Recorder::State::ObserveDropping() {
  if (MonotonicNs() >= next_rss_ns - kRssPeriodNs + kDropPeriodNs) ObserveRss(true);
}

}  // namespace memprof
