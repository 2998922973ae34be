// LiveObjects: sampled heap objects that may still be reachable, each by a weak global reference, with the call site that made
// it. It lives longer than tasks, because retained objects are mostly what a task leaves behind.
//
// A reference that is not gone proves nothing by itself: between collections the heap is full of garbage. So there are two kinds
// of walk. Purge() frees cleared references, after any collection. Retained() runs after a marking of the whole heap
// (gc/collection.h). It sums up by site the remaining objects that are older than that marking: those were reachable.
//
// Large objects of a call site that makes mostly garbage of them are sampled a second time (heap/large_objects.h).
//
// Bounds: kMaxObjects objects (3 MiB, and 1 MiB of references in the JVM) and kMaxSites sites (1 MiB). When it is full, the
// interval of the kept objects doubles. An object of size s that was kept with probability p = 1-exp(-s/interval) stays with
// p(2·interval)/p(interval), which is the same as sampling at the doubled interval from the beginning. Weights are calculated
// from the size and the table's interval when they are summed, so they stay unbiased. Sites beyond the bound share one site
// without a stack.
//
// Thread-safe: one mutex, never held across JVMTI calls. Walks take it a thousand objects at a time, so that an application's
// thread waits for less than 0.1 ms; only an Add() that finds the table full, or too much large garbage, walks all of it (about 10 ms,
// rarely).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gc/marking_watch.h"
#include "heap/large_objects.h"
#include "heap/weak_references.h"
#include "stacks/jvm_stacks.h"

namespace memprof {

// Who made an object: a call site within a stage, or within a bucket of threads that worked for no task.
struct ObjectOrigin {
  std::shared_ptr<JvmStacks> stacks;  // null: there was no room for the stack
  JvmStackId stack = 0;
  int32_t stage_id = -1, stage_attempt = -1;
  uint32_t bucket = 0;  // where there is no stage
};

struct RetainedSite {
  ObjectOrigin origin;
  double bytes = 0, objects = 0, variance = 0;  // unbiased; bytes²
};

class LiveObjects {
 public:
  static constexpr size_t kMaxObjects = 128u << 10;
  static constexpr size_t kMaxSites = 8u << 10;

  // Forgets everything. `interval_bytes`: the interval of the samples; 1 or less: every object.
  void Begin(uint64_t interval_bytes, WeakReferences& references);
  void End(WeakReferences& references);
  // Whether large garbage is to be thinned: for G1 and generational ZGC.
  void SetThinning(bool on);

  // Whether this sample would be kept, decided at random each time; false after End().
  bool Keeps(uint64_t size);
  bool Knows(uint64_t site_key) const;
  // `maker`: of its large objects (LargeObjects::MakerOf).
  void AddSite(uint64_t site_key, uint64_t maker, ObjectOrigin origin);
  // `site_key` of a site that was added; otherwise it counts for the site without a stack. `now_ns`: monotonic.
  void Add(jobject object, uint64_t size, uint64_t site_key, int64_t now_ns, WeakReferences& references);

  // Enough objects came since the last walk to make another one after a collection worth its cost.
  bool WantsPurge() const { return added_.load(std::memory_order_relaxed) >= kPurgeEvery; }
  void Purge(WeakReferences& references);

  // Heaviest first. Nothing after End(), and when other threads changed the interval or removed objects again and again meanwhile.
  std::optional<std::vector<RetainedSite>> Retained(const Marking& marking, WeakReferences& references);

  // Moves the frames of sites with stacks of another generation into `current`, so that old generations can be freed.
  void MoveStacks(const std::shared_ptr<JvmStacks>& current);

  uint64_t interval() const { return kept_interval_.load(std::memory_order_relaxed); }
  uint64_t doublings() const { return doublings_.load(std::memory_order_relaxed); }
  uint64_t lost_sites() const { return lost_sites_.load(std::memory_order_relaxed); }
  size_t objects() const;

 private:
  static constexpr size_t kPurgeEvery = 4096, kAtATime = 1024, kMaxLostKeys = 4096, kStacksAtATime = 16;

  struct Object {
    jweak reference;
    uint64_t size : 42;     // a heap has less
    uint64_t thinning : 5;  // LargeObjects; 0: not thinned
    uint64_t reached : 1;   // a marking has found it reachable
    uint64_t site : 16;
    int64_t sampled_ns;  // since the beginning
  };
  static_assert(kMaxSites <= 1u << 16);
  struct Site {
    uint64_t key = 0, maker = 0;
    ObjectOrigin origin;
    uint32_t objects = 0;
    bool fresh = false;  // no walk has seen it yet: its first object may not have been added yet
  };

  // With mutex_ held:
  double Probability(uint64_t size, uint8_t thinning, uint64_t kept_interval) const;
  double WeightOfThinning(const Object& object) const;
  void NoteReached(Object& object);
  std::optional<uint8_t> ThinningOf(uint64_t size, uint64_t site_key);
  void ThinLarge(WeakReferences& references);
  void RemoveGone(size_t index, WeakReferences& references);
  void Remove(size_t index, WeakReferences& references);
  void MakeRoom(WeakReferences& references);
  void FreeSites();
  int64_t Age(int64_t now_ns) const { return std::max<int64_t>(0, now_ns - began_ns_); }
  uint32_t SiteOf(uint64_t site_key) const;
  // Whether an object stays that was there with probability `before` and is to be there with `after`; at random.
  bool Stays(double before, double after) { return Random() * before < after; }
  double Random();

  mutable std::mutex mutex_;
  std::vector<Object> objects_;
  std::vector<Site> sites_;  // 0: without a stack
  std::vector<uint32_t> free_sites_;
  LargeObjects large_;
  uint64_t removals_ = 0;       // each may have moved another object
  uint64_t thinned_bytes_ = 0;  // of thinned objects that no marking has found reachable
  std::unordered_map<uint64_t, uint32_t> by_key_;
  bool open_ = false;
  int64_t began_ns_ = 0;
  uint64_t random_ = 0x9E3779B97F4A7C15u;
  uint64_t sample_interval_ = 0;
  std::unordered_set<uint64_t> lost_keys_;  // the first kMaxLostKeys of them
  std::atomic<uint64_t> kept_interval_{0}, doublings_{0}, lost_sites_{0}, added_{0};
};

}  // namespace memprof
