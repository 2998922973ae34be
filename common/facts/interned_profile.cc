#include "facts/interned_profile.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "facts/figures.h"

namespace memprof {
namespace {

// Counters of a worker's session that are figures of its task (arrow_pool.py).
constexpr std::string_view kArrowPoolPeak = "arrowPoolPeakBytes", kArrowPoolBegin = "arrowPoolBeginBytes",
                           kArrowPoolEnd = "arrowPoolEndBytes";

constexpr std::string_view kFirstTaskRss = "firstTaskRssBytes";  // comes with its process (import_baseline.h)

Language LanguageOf(proto::Language language) {
  return proto::Language_IsValid(language) ? static_cast<Language>(language) : Language::kUnknown;
}

uint32_t InternFrame(const proto::TaskProfile& profile, const proto::Frame& frame, Interner& interner) {
  auto string = [&](uint32_t index) { return index == 0 ? 0 : interner.String(profile.strings(static_cast<int>(index))); };
  InternedFrame interned;
  interned.language = LanguageOf(frame.language());
  interned.function = string(frame.function());
  interned.file = string(frame.file());
  interned.module = string(frame.module());
  interned.build_id = string(frame.build_id());
  interned.line = frame.line();
  interned.first_line = frame.first_line();
  interned.in_framework = frame.in_framework();
  if (interned.language == Language::kNative) interned.offset = frame.offset();
  return interner.Frame(interned);
}

void ReadMemory(const proto::TaskMemory& memory, Interner& interner, InternedTaskMemory& made) {
  for (const proto::MemoryConsumer& consumer : memory.consumers()) {
    made.consumers.push_back({interner.String(consumer.name()), consumer.off_heap(), consumer.peak_bytes()});
  }
  if (memory.has_peak_execution_bytes()) made.peak_execution_bytes = memory.peak_execution_bytes();
  if (memory.has_spilled_memory_bytes()) made.spilled_memory_bytes = memory.spilled_memory_bytes();
  if (memory.has_spilled_disk_bytes()) made.spilled_disk_bytes = memory.spilled_disk_bytes();
  for (const proto::PoolUse& pool : memory.fullest()) made.fullest[pool.off_heap() ? 1 : 0] = FiguresOf(pool);
}

InternedSite InternedOf(const proto::Site& site, const InternedReferences& interned) {
  InternedSite made;
  made.key = {interned.Stack(site.stack()), interned.Udf(site.udf()), OriginOf(site.origin())};
  SiteFigures& figures = made.figures;
  figures.allocated_bytes = site.allocated_bytes();
  figures.allocations = site.allocations();
  if (site.has_live_at_peak_bytes()) figures.live_at_peak_bytes = site.live_at_peak_bytes();
  if (site.has_resident_at_peak_bytes()) figures.resident_at_peak_bytes = site.resident_at_peak_bytes();
  figures.read_at_peak_bytes = site.read_at_peak_bytes();
  figures.resident_later_bytes = site.resident_later_bytes();
  if (site.has_live_bytes()) figures.live_at_end_bytes = site.live_bytes();
  figures.sampled = site.sampled();
  if (site.sampled()) {
    // Without a variance, the sender did not know it. Variance 0 is exact: all blocks were so large that each was sampled.
    bool known = site.has_variance();
    figures.variance = known ? site.variance() : kUnknownVariance;
    figures.peak_variance = known ? site.peak_variance() : kUnknownVariance;
  }
  return made;
}

}  // namespace

Origin OriginOf(proto::Origin origin) { return proto::Origin_IsValid(origin) ? static_cast<Origin>(origin) : Origin::kUnknown; }

InternedReferences::InternedReferences(const proto::TaskProfile& profile, Interner& interner)
    : stacks_(profile.stacks_size() + 1), udfs_(profile.udfs_size() + 1) {
  std::vector<uint32_t> frames(profile.frames_size());
  for (int i = 0; i < profile.frames_size(); ++i) frames[i] = InternFrame(profile, profile.frames(i), interner);
  for (int i = 0; i < profile.stacks_size(); ++i) {
    const proto::Stack& stack = profile.stacks(i);
    stacks_[i + 1] = interner.Stack(stacks_[stack.parent()], frames[stack.frame()]);
  }
  for (int i = 0; i < profile.udfs_size(); ++i) {
    const proto::Udf& udf = profile.udfs(i);
    udfs_[i + 1] = interner.Udf({interner.String(udf.name()), interner.String(udf.kind()), interner.String(udf.file()), udf.line()});
  }
}

InternedProfile InternProfile(const proto::TaskProfile& profile, Interner& interner, std::pmr::memory_resource* memory) {
  InternedProfile made(memory);
  made.sequence = profile.sequence();
  made.taken_ms = profile.taken_ms();
  made.final = profile.final();
  made.partial = profile.partial();
  made.recovered = profile.recovered();
  made.jvm_interval_bytes = profile.jvm_interval_bytes();
  made.python_interval_bytes = profile.python_interval_bytes();
  if (profile.has_gc_stopped_ms()) made.gc_stopped_ms = profile.gc_stopped_ms();
  const InternedReferences interned(profile, interner);
  ReadMemory(profile.spark_memory(), interner, made.spark_memory);
  made.udfs.assign(interned.udfs().begin(), interned.udfs().end());
  made.sites.reserve(profile.sites_size());
  std::unordered_map<SiteKey, size_t, SiteKeyHash> seen;  // two of a profile's stacks may be one after interning
  for (const proto::Site& site : profile.sites()) {
    InternedSite made_site = InternedOf(site, interned);
    auto [entry, added] = seen.try_emplace(made_site.key, made.sites.size());
    if (added) {
      made.sites.push_back(made_site);
    } else {
      AddWithinTask(made_site.figures, made.sites[entry->second].figures);
    }
  }
  for (const proto::Leftovers& leftovers : profile.leftovers()) {
    if (!leftovers.open()) continue;  // what the task itself has left is among its sites
    for (const proto::Leftover& site : leftovers.sites()) {
      made.left.push_back({leftovers.pid(), interned.Stack(site.stack()), leftovers.start_ticks(), site.live_bytes()});
    }
  }
  for (const proto::Remainder& remainder : profile.remainders()) {
    made.remainders.emplace_back(OriginOf(remainder.origin()), OriginFigures{remainder.sites(), remainder.allocated_bytes(),
                                                                             remainder.allocations(), remainder.live_at_peak_bytes()});
  }
  for (const proto::Counter& counter : profile.counters()) {
    made.counters.push_back({interner.String(counter.name()), std::min(counter.value(), kMaxFigure)});
  }
  for (const proto::Incident& incident : profile.incidents()) {
    made.incidents.push_back({incident.pid(), incident.signal(), incident.time_ms(), interned.Stack(incident.stack()),
                              incident.asked_bytes(), incident.virtual_bytes(), incident.resident_bytes(), incident.limit_bytes(),
                              incident.started_by_task(), incident.start_ticks()});
  }
  int64_t looked_of_open_ms = 0;
  for (const proto::Session& session : profile.sessions()) {
    int64_t& looked_ms = session.closed() ? made.looked_ms : looked_of_open_ms;
    looked_ms = EarliestKnown(looked_ms, session.looked_ms());
    ArrowPoolFigures pool;
    std::optional<uint64_t> pool_begin;
    for (const proto::Counter& counter : session.counters()) {
      const uint64_t value = std::min(counter.value(), kMaxFigure);
      if (counter.name() == kArrowPoolPeak) {
        pool.peak_bytes = value;
      } else if (counter.name() == kArrowPoolBegin) {
        pool_begin = value;
      } else if (counter.name() == kArrowPoolEnd) {
        pool.end_bytes = value;
      } else if (counter.name() != kFirstTaskRss) {
        made.counters.push_back({interner.String(counter.name()), value});
      }
    }
    if (pool_begin && pool.end_bytes) pool.growth_bytes = static_cast<int64_t>(*pool.end_bytes) - static_cast<int64_t>(*pool_begin);
    made.arrow_pool.Raise(pool);
  }
  if (looked_of_open_ms != 0) made.looked_ms = looked_of_open_ms;
  return made;
}

}  // namespace memprof
