#include "resident/region_table.h"

#include <algorithm>
#include <cstring>

namespace memprof {
namespace {

bool Joinable(const RegionTable::Region& left, const RegionTable::Region& right) {
  return left.end == right.begin && left.kind == right.kind && left.label == right.label && left.label_size == right.label_size;
}

}  // namespace

size_t RegionTable::FirstBehind(uintptr_t address) const {
  size_t low = 0, high = count_;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (regions_[middle].end <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void RegionTable::Erase(size_t at) {
  memmove(&regions_[at], &regions_[at + 1], (count_ - at - 1) * sizeof(Region));
  --count_;
}

// Precondition: no part of it is in a region.
void RegionTable::Insert(const Region& region) {
  const size_t at = FirstBehind(region.begin);
  const bool left = at > 0 && Joinable(regions_[at - 1], region);
  const bool right = at < count_ && Joinable(region, regions_[at]);
  if (left && right) {
    regions_[at - 1].end = regions_[at].end;
    Erase(at);
  } else if (left) {
    regions_[at - 1].end = region.end;
  } else if (right) {
    regions_[at].begin = region.begin;
  } else if (count_ == kMost) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
  } else {
    memmove(&regions_[at + 1], &regions_[at], (count_ - at) * sizeof(Region));
    regions_[at] = region;
    ++count_;
  }
}

void RegionTable::Cut(uintptr_t begin, uintptr_t end) {
  for (size_t at = FirstBehind(begin); at < count_ && regions_[at].begin < end;) {
    Region& region = regions_[at];
    const Region rest = {end, region.end, region.label, region.label_size, region.kind};
    if (region.begin < begin) {
      region.end = begin;
      if (rest.end > end) Insert(rest);
      ++at;
    } else if (region.end > end) {
      region.begin = end;
    } else {
      Erase(at);
    }
  }
}

void RegionTable::Add(uintptr_t begin, uintptr_t end, RegionKind kind, const char* label, uint32_t label_size) {
  if (begin >= end) return;
  FutexLock lock(mutex_);
  if (kind == RegionKind::kBefore) {
    while (begin < end) {
      const size_t next = FirstBehind(begin);
      const uintptr_t taken = next < count_ ? std::max(regions_[next].begin, begin) : end;
      const uintptr_t behind = next < count_ ? regions_[next].end : end;
      if (begin < std::min(taken, end)) Insert({begin, std::min(taken, end), label, label_size, kind});
      begin = behind;
    }
  } else {
    Cut(begin, end);
    Insert({begin, end, label, label_size, kind});
  }
  visible_count_.store(count_, std::memory_order_relaxed);
}

void RegionTable::Remove(uintptr_t begin, uintptr_t end) {
  FutexLock lock(mutex_);
  Cut(begin, end);
  visible_count_.store(count_, std::memory_order_relaxed);
}

void RegionTable::RemoveOfKind(RegionKind kind, uintptr_t begin, uintptr_t end) {
  FutexLock lock(mutex_);
  while (begin < end) {
    const size_t next = FirstBehind(begin);
    if (next == count_) break;
    const Region region = regions_[next];
    if (region.kind == kind && region.begin < end) Cut(std::max(begin, region.begin), std::min(end, region.end));
    begin = region.end;
  }
  visible_count_.store(count_, std::memory_order_relaxed);
}

void RegionTable::RemoveAll(RegionKind kind) {
  FutexLock lock(mutex_);
  size_t kept = 0;
  for (size_t i = 0; i < count_; ++i) {
    if (regions_[i].kind != kind) regions_[kept++] = regions_[i];
  }
  count_ = kept;
  visible_count_.store(count_, std::memory_order_relaxed);
}

}  // namespace memprof
