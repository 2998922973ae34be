#include "sites/site_table.h"

namespace memprof {
namespace {

constexpr uint32_t kLookedAt = 128;  // records examined in one search for a victim for a small block: bounds the time inside malloc

uint64_t KeyHash(uint64_t session, uint32_t node, uint8_t origin) { return HashPair(HashPair(session, node), origin); }

}  // namespace

void SiteTable::Measure(const box::Plan& plan, Arena& arena) {
  arena.Take<uint32_t>(plan.sites);
  arena.Take<uint32_t>(plan.sites);
  arena.Take<uint32_t>(HashIndex::SlotsFor(plan.sites));
  arena.Take<bool>(plan.sites);
}

void SiteTable::Attach(const box::BoxFile& file, Arena& arena) {
  records_ = file.table<box::TwoCopies<box::Site>>(box::kSiteTable);
  total_ = file.capacity(box::kSiteTable);
  ordinary_ = total_ - box::kSessions;
  kept_for_large_ = ordinary_ / 10;
  generations_ = arena.Take<uint32_t>(total_);
  next_free_ = arena.Take<uint32_t>(total_);
  uint32_t slots = HashIndex::SlotsFor(total_);
  index_ = HashIndex(arena.Take<uint32_t>(slots), slots);
  waits_ = arena.Take<bool>(total_);
}

void SiteTable::Wait(uint32_t site) {
  if (waiting_count_ == kMostWaiting) Flush();
  waits_[site] = true;
  waiting_[waiting_count_++] = site;
}

void SiteTable::Flush() {
  for (uint32_t i = 0; i < waiting_count_; ++i) {
    const uint32_t site = waiting_[i];
    waits_[site] = false;
    records_[site].Commit(box::RecordSeed(box::kSiteTable, site));
  }
  waiting_count_ = 0;
}

uint64_t SiteTable::HashOf(uint32_t reference) const {
  const box::Site& site = Read(reference - 1);
  return KeyHash(site.session, site.node, site.origin);
}

uint32_t SiteTable::Find(uint64_t session, uint32_t node, Origin origin) {
  uint8_t wanted = static_cast<uint8_t>(origin);
  // Blocks of one stack come one after another.
  uint32_t& hint = hints_[node % kHints];
  const box::Site& hinted = Read(hint);
  if (hinted.session == session && hinted.node == node && hinted.origin == wanted && node != 0) return hint;
  uint32_t reference = index_.Find(KeyHash(session, node, wanted), [&](uint32_t candidate) {
    const box::Site& site = Read(candidate - 1);
    return site.session == session && site.node == node && site.origin == wanted;
  });
  if (reference == 0) return kNoSite;
  return hint = reference - 1;
}

uint32_t SiteTable::Add(uint64_t session, uint32_t node, Origin origin, bool large, const PeakTotal& total) {
  if (used_ >= (large ? ordinary_ : ordinary_ - kept_for_large_)) return kNoSite;
  uint32_t site;
  if (free_ != kNoSite) {
    site = free_;
    free_ = next_free_[site];
  } else {
    site = untouched_++;
  }
  ++used_;
  box::Site& record = Begin(site);
  record = {};
  record.session = session;
  record.node = node;
  record.origin = static_cast<uint8_t>(origin);
  record.share = NewShare(total);
  Commit(site);
  index_.Insert(KeyHash(session, node, record.origin), site + 1);
  return site;
}

void SiteTable::Remove(uint32_t site) {
  index_.Erase(site + 1, [this](uint32_t reference) { return HashOf(reference); });
  Begin(site) = {};
  Commit(site);
  ++generations_[site];
  if (site >= ordinary_) return;
  next_free_[site] = free_;
  free_ = site;
  --used_;
}

uint32_t SiteTable::Overflow(uint32_t slot, uint64_t session, Origin origin, const PeakTotal& total) {
  const uint32_t site = OverflowOf(slot);
  if (Read(site).session == session) return site;
  box::Site& record = Begin(site);
  record = {};
  record.session = session;
  record.origin = static_cast<uint8_t>(origin);
  record.share = NewShare(total);
  Commit(site);
  ++generations_[site];
  return site;
}

void SiteTable::RemoveSession(uint64_t session, uint32_t slot) {
  for (uint32_t site = 0; site < untouched_; ++site) {
    if (Read(site).session == session) Remove(site);
  }
  if (Read(OverflowOf(slot)).session == session) Remove(OverflowOf(slot));
}

uint32_t SiteTable::Victim(const box::Session& first, const box::Session& second, bool even_live) {
  uint32_t idle = kNoSite, least = kNoSite;
  uint64_t idle_at_peak = 0;
  const uint32_t most = even_live || untouched_ < kLookedAt ? untouched_ : kLookedAt;
  for (uint32_t looked = 0; looked < most; ++looked) {
    hand_ = hand_ + 1 < untouched_ ? hand_ + 1 : 0;
    const box::Site& site = Read(hand_);
    if (site.session == 0 || (site.session != first.number && site.session != second.number)) continue;
    if (site.share.live == 0) {
      uint64_t at_peak = AtPeak(site.session == first.number ? first.total : second.total, site.share).live;
      if (idle != kNoSite && at_peak >= idle_at_peak) continue;
      idle = hand_;
      idle_at_peak = at_peak;
    } else if (least == kNoSite || site.share.live < Read(least).share.live) {
      least = hand_;
    }
  }
  return idle != kNoSite || !even_live ? idle : least;
}

uint64_t SiteTable::Seal(uint64_t session) const {
  uint64_t seal = 0;
  for (uint32_t site = 0; site < total_; ++site) {
    if (Read(site).session == session) seal += box::SealShare(records_[site].CurrentCopy().checksum, site);
  }
  return seal;
}

}  // namespace memprof
