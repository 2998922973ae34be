// SiteTable: the box's site records, found by (session, stack, origin). A site is what the report calls a row: a stack of
// one session with its figures.
//
// Room: the last records belong to the session slots, one each, as their overflow site (no stack): it takes samples without a
// place and evicted sites, so that a session's totals always add up. A tenth of the rest is kept for blocks of 1 MiB and more.
//
// A record that is reused for another site gets a new generation. The live set stores a site together with its generation. Not
// thread-safe: the recorder's lock covers it. Callable from hooks.
#pragma once

#include <cstdint>

#include "base/origin.h"
#include "blackbox/box_file.h"
#include "sites/arena.h"
#include "sites/hash_index.h"

namespace memprof {

class SiteTable {
 public:
  static void Measure(const box::Plan& plan, Arena& arena);
  void Attach(const box::BoxFile& file, Arena& arena);

  static constexpr uint32_t kNoSite = 0xffffffff;

  uint32_t Find(uint64_t session, uint32_t node, Origin origin);  // kNoSite when absent
  // A new record with the session's share begun; kNoSite when there is no room (for small blocks: nothing but the reserved
  // tenth).
  uint32_t Add(uint64_t session, uint32_t node, Origin origin, bool large, const PeakTotal& total);
  void Remove(uint32_t site);

  uint32_t OverflowOf(uint32_t slot) const { return ordinary_ + slot; }
  // The overflow site of the session in `slot`, made on first use.
  uint32_t Overflow(uint32_t slot, uint64_t session, Origin origin, const PeakTotal& total);
  // Frees every site of a session, its overflow site (in `slot`) included.
  void RemoveSession(uint64_t session, uint32_t slot);

  // The site to evict: with nothing live and the least at the peak, among the next sites after the clock hand. With `even_live`
  // all sites are examined, and if each has live bytes it is the one with the least. Only sites of these two sessions. kNoSite
  // when there is none.
  uint32_t Victim(const box::Session& first, const box::Session& second, bool even_live);

  // A record's newest state, in the box or not yet.
  const box::Site& Read(uint32_t site) const { return waits_[site] ? records_[site].Working() : records_[site].Current(); }
  box::Site& Begin(uint32_t site) { return waits_[site] ? records_[site].Working() : records_[site].Begin(); }
  // Ends a change. With Batch(), it reaches the box with the next Flush(), or when kMostWaiting records wait for it.
  void Commit(uint32_t site) {
    if (!batched_) {
      records_[site].Commit(box::RecordSeed(box::kSiteTable, site));
    } else if (!waits_[site]) {
      Wait(site);
    }
  }
  void Batch() { batched_ = true; }
  void Flush();

  uint32_t generation(uint32_t site) const { return generations_[site]; }
  uint32_t used() const { return used_; }
  uint32_t total() const { return total_; }
  uint32_t ordinary() const { return ordinary_; }  // capacity without the overflow sites

  // The seal of a session: over all its sites as they are in the box.
  uint64_t Seal(uint64_t session) const;

 private:
  static constexpr uint32_t kMostWaiting = 64, kHints = 256;

  uint64_t HashOf(uint32_t reference) const;
  void Wait(uint32_t site);

  box::TwoCopies<box::Site>* records_ = nullptr;
  uint32_t ordinary_ = 0, total_ = 0, kept_for_large_ = 0;
  uint32_t used_ = 0, untouched_ = 0, free_ = kNoSite, hand_ = 0;
  uint32_t* generations_ = nullptr;
  uint32_t* next_free_ = nullptr;
  HashIndex index_;
  uint32_t hints_[kHints] = {};  // by node: where its site was found last
  bool batched_ = false;
  bool* waits_ = nullptr;
  uint32_t waiting_[kMostWaiting] = {}, waiting_count_ = 0;
};

}  // namespace memprof
