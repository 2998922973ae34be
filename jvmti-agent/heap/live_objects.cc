#include "heap/live_objects.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "gc/marking_watch.h"
#include "sampling/estimator.h"

namespace memprof {
namespace {

double ProbabilityAt(uint64_t size, uint64_t interval) { return interval <= 1 ? 1 : SampleProbability(size, interval); }

}  // namespace

void LiveObjects::Begin(uint64_t interval_bytes, WeakReferences& references) {
  End(references);
  const std::lock_guard lock(mutex_);
  objects_.reserve(kMaxObjects);  // address space; pages come with the objects
  sites_.assign(1, Site());
  large_.Begin();
  thinned_bytes_ = 0;
  began_ns_ = MonotonicNs();
  sample_interval_ = interval_bytes;
  kept_interval_ = std::max<uint64_t>(interval_bytes, 1);
  doublings_ = lost_sites_ = 0;
  open_ = true;
}

void LiveObjects::End(WeakReferences& references) {
  const std::lock_guard lock(mutex_);
  open_ = false;
  ++removals_;
  for (const Object& object : objects_) references.Delete(object.reference);
  objects_.clear();
  sites_.clear();
  free_sites_.clear();
  by_key_.clear();
  lost_keys_.clear();
  added_ = 0;
}

void LiveObjects::SetThinning(bool on) {
  const std::lock_guard lock(mutex_);
  large_.SetThinning(on);
}

// That an object was sampled, kept and, where it is thinned, followed.
double LiveObjects::Probability(uint64_t size, uint8_t thinning, uint64_t kept_interval) const {
  return ProbabilityAt(size, std::max(kept_interval, large_.IntervalOf(thinning)));
}

// How many objects it stands for that were kept as it was.
double LiveObjects::WeightOfThinning(const Object& object) const {
  if (object.thinning == 0) return 1;
  return Probability(object.size, 0, kept_interval_) / Probability(object.size, object.thinning, kept_interval_);
}

double LiveObjects::Random() {
  random_ += 0x9E3779B97F4A7C15u;
  uint64_t z = random_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

bool LiveObjects::Keeps(uint64_t size) {
  const std::lock_guard lock(mutex_);
  if (!open_) return false;
  const uint64_t kept = kept_interval_;
  return kept <= std::max<uint64_t>(sample_interval_, 1) || Stays(ProbabilityAt(size, sample_interval_), ProbabilityAt(size, kept));
}

bool LiveObjects::Knows(uint64_t site_key) const {
  const std::lock_guard lock(mutex_);
  return by_key_.contains(site_key);
}

void LiveObjects::AddSite(uint64_t site_key, uint64_t maker, ObjectOrigin origin) {
  const std::lock_guard lock(mutex_);
  if (!open_ || by_key_.contains(site_key)) return;
  uint32_t index = 0;
  if (!free_sites_.empty()) {
    index = free_sites_.back();
    free_sites_.pop_back();
  } else if (sites_.size() < kMaxSites) {
    index = static_cast<uint32_t>(sites_.size());
    sites_.emplace_back();
  } else {
    if (lost_keys_.size() < kMaxLostKeys && lost_keys_.insert(site_key).second) ++lost_sites_;
    return;
  }
  sites_[index] = {site_key, maker, std::move(origin), 0, true};
  by_key_.emplace(site_key, index);
}

// 0: the site without a stack.
uint32_t LiveObjects::SiteOf(uint64_t site_key) const {
  const auto known = by_key_.find(site_key);
  return known == by_key_.end() ? 0 : known->second;
}

// Nothing: it is not followed.
std::optional<uint8_t> LiveObjects::ThinningOf(uint64_t size, uint64_t site_key) {
  if (!open_ || size < kLargeObject) return 0;
  if (!large_.IsThinned(sites_[SiteOf(site_key)].maker)) return 0;
  const uint8_t thinning = large_.thinning();
  const bool followed = Stays(Probability(size, 0, kept_interval_), Probability(size, thinning, kept_interval_));
  return followed ? std::optional(thinning) : std::nullopt;
}

void LiveObjects::Add(jobject object, uint64_t size, uint64_t site_key, int64_t now_ns, WeakReferences& references) {
  std::optional<uint8_t> thinning;
  {
    const std::lock_guard lock(mutex_);
    thinning = ThinningOf(size, site_key);
  }
  const jweak reference = thinning ? references.Make(object) : nullptr;
  if (reference == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (open_ && objects_.size() >= kMaxObjects) MakeRoom(references);
  if (!open_ || objects_.size() >= kMaxObjects) {
    references.Delete(reference);
    return;
  }
  const uint32_t site = SiteOf(site_key);
  ++sites_[site].objects;
  objects_.push_back({reference, size, *thinning, false, site, Age(now_ns)});
  added_.fetch_add(1, std::memory_order_relaxed);
  if (*thinning == 0) return;
  thinned_bytes_ += size;
  if (thinned_bytes_ > large_.budget()) ThinLarge(references);
}

// Frees thinned objects that are gone. If the others are still too many, it doubles their interval, but leaves those alone that were
// found reachable: these don't keep G1 from freeing anything.
void LiveObjects::ThinLarge(WeakReferences& references) {
  const auto thins = [](const Object& object) { return object.thinning != 0 && !object.reached; };
  for (size_t i = 0; i < objects_.size();) {
    thins(objects_[i]) && references.IsGone(objects_[i].reference) ? RemoveGone(i, references) : void(++i);
  }
  while (thinned_bytes_ > large_.budget()) {
    large_.Double();
    for (size_t i = 0; i < objects_.size();) {
      Object& object = objects_[i];
      if (thins(object) && object.thinning < large_.thinning()) {
        const double before = Probability(object.size, object.thinning, kept_interval_);
        if (!Stays(before, Probability(object.size, large_.thinning(), kept_interval_))) {
          Remove(i, references);
          continue;
        }
        object.thinning = large_.thinning();
      }
      ++i;
    }
  }
}

void LiveObjects::Remove(size_t index, WeakReferences& references) {
  const Object& object = objects_[index];
  ++removals_;
  if (object.thinning != 0 && !object.reached) thinned_bytes_ -= object.size;
  references.Delete(object.reference);
  --sites_[object.site].objects;
  objects_[index] = objects_.back();
  objects_.pop_back();
}

void LiveObjects::RemoveGone(size_t index, WeakReferences& references) {
  const Object& object = objects_[index];
  if (object.size >= kLargeObject && !object.reached) large_.Gone(sites_[object.site].maker, WeightOfThinning(object));
  Remove(index, references);
}

void LiveObjects::NoteReached(Object& object) {
  if (object.reached) return;
  object.reached = true;
  if (object.thinning != 0) thinned_bytes_ -= object.size;
  if (object.size >= kLargeObject) large_.Reached(sites_[object.site].maker, WeightOfThinning(object));
}

void LiveObjects::MakeRoom(WeakReferences& references) {
  for (size_t i = 0; i < objects_.size();) references.IsGone(objects_[i].reference) ? RemoveGone(i, references) : void(++i);
  while (objects_.size() > kMaxObjects / 4 * 3) {
    const uint64_t before = kept_interval_, after = before * 2;
    kept_interval_ = after;
    ++doublings_;
    for (size_t i = 0; i < objects_.size();) {
      const Object& object = objects_[i];
      Stays(Probability(object.size, object.thinning, before), Probability(object.size, object.thinning, after)) ? void(++i)
                                                                                                                 : Remove(i, references);
    }
  }
  FreeSites();
}

void LiveObjects::FreeSites() {
  for (uint32_t index = 1; index < sites_.size(); ++index) {
    Site& site = sites_[index];
    const bool fresh = std::exchange(site.fresh, false);
    if (site.objects != 0 || site.key == 0 || fresh) continue;
    by_key_.erase(site.key);
    site = Site();
    free_sites_.push_back(index);
  }
}

void LiveObjects::Purge(WeakReferences& references) {
  added_ = 0;
  for (size_t i = 0;;) {
    const std::lock_guard lock(mutex_);
    for (size_t step = 0; step < kAtATime && i < objects_.size(); ++step) {
      references.IsGone(objects_[i].reference) ? RemoveGone(i, references) : void(++i);
    }
    if (i < objects_.size()) continue;
    FreeSites();
    return;
  }
}

std::optional<std::vector<RetainedSite>> LiveObjects::Retained(const Marking& marking, WeakReferences& references) {
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const uint64_t interval = kept_interval_;
    std::unordered_map<uint32_t, RetainedSite> sums;
    LargeObjects::Makers unsure;
    uint64_t removals = 0;
    added_ = 0;
    for (size_t i = 0;;) {
      const std::lock_guard lock(mutex_);
      if (!open_) return std::nullopt;
      if (kept_interval_ != interval || (i != 0 && removals_ != removals)) break;  // another thread has moved objects
      const int64_t border = Age(marking.older_than_ns), large_border = Age(marking.large_older_than_ns);
      for (size_t step = 0; step < kAtATime && i < objects_.size(); ++step) {
        Object& object = objects_[i];
        if (references.IsGone(object.reference)) {
          RemoveGone(i, references);
          continue;
        }
        ++i;
        const bool large = object.size >= kLargeObject;
        if (object.sampled_ns >= (large ? large_border : border)) {
          if (large && !object.reached && object.sampled_ns < border) unsure[sites_[object.site].maker] += WeightOfThinning(object);
          continue;
        }
        NoteReached(object);
        RetainedSite& sum = sums[object.site];
        const double probability = Probability(object.size, object.thinning, interval), size = static_cast<double>(object.size);
        sum.bytes += size / probability;
        sum.objects += 1 / probability;
        sum.variance += VarianceOf(size / probability, size);
      }
      removals = removals_;
      if (i < objects_.size()) continue;
      large_.Judge(unsure, marking.heap_max_bytes);
      std::vector<RetainedSite> retained;
      for (auto& [site, sum] : sums) {
        sum.origin = sites_[site].origin;
        retained.push_back(std::move(sum));
      }
      FreeSites();
      std::sort(retained.begin(), retained.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
      return retained;
    }
  }
  return std::nullopt;
}

void LiveObjects::MoveStacks(const std::shared_ptr<JvmStacks>& current) {
  for (size_t i = 0;;) {
    const std::lock_guard lock(mutex_);
    for (size_t moved = 0; i < sites_.size() && moved < kStacksAtATime; ++i) {
      ObjectOrigin& origin = sites_[i].origin;
      if (origin.stacks == nullptr || origin.stacks == current) continue;
      origin.stack = current->TakeOver(*origin.stacks, origin.stack);
      origin.stacks = current;
      ++moved;
    }
    if (i >= sites_.size()) return;
  }
}

size_t LiveObjects::objects() const {
  const std::lock_guard lock(mutex_);
  return objects_.size();
}

}  // namespace memprof
