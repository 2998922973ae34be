#include "hooking/module_table.h"

#include <unistd.h>

#include <climits>
#include <cstring>

namespace memprof {

uint32_t ModuleTable::Intern(const LoadedModule& module) {
  char main_program[PATH_MAX];
  const char* path = module.path;
  size_t path_size = strlen(path);
  if (path_size == 0) {
    const ssize_t size = readlink("/proc/self/exe", main_program, sizeof main_program);
    if (size > 0) {
      path = main_program;
      path_size = static_cast<size_t>(size);
    }
  }
  char build_id[2 * kMaxBuildIdBytes];
  for (uint32_t i = 0; i < module.build_id_size; ++i) {
    build_id[2 * i] = "0123456789abcdef"[module.build_id[i] >> 4];
    build_id[2 * i + 1] = "0123456789abcdef"[module.build_id[i] & 15];
  }
  const uint32_t build_id_size = 2 * module.build_id_size;

  for (size_t i = 0; i < identity_count_; ++i) {
    const Identity& known = identities_[i];
    if (known.path_size == path_size && known.build_id_size == build_id_size && memcmp(known.path, path, path_size) == 0 &&
        memcmp(known.build_id, build_id, build_id_size) == 0) {
      return static_cast<uint32_t>(i);
    }
  }
  if (identity_count_ == kMaxModules || kMaxPathBytes - path_bytes_ < path_size) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return kNone;
  }
  Identity& identity = identities_[identity_count_];
  memcpy(paths_ + path_bytes_, path, path_size);
  identity.path = paths_ + path_bytes_;
  identity.path_size = static_cast<uint32_t>(path_size);
  path_bytes_ += path_size;
  memcpy(identity.build_id, build_id, build_id_size);
  identity.build_id_size = build_id_size;
  identity.tag.store(0, std::memory_order_relaxed);
  return static_cast<uint32_t>(identity_count_++);
}

void ModuleTable::Add(const LoadedModule& module, const Identity* known) {
  const uint32_t identity = known != nullptr ? static_cast<uint32_t>(known - identities_) : Intern(module);
  if (identity == kNone || building_ == kMaxModules) return;
  auto& ranges = ranges_[(generation_.load(std::memory_order_relaxed) + 1) % 2];
  size_t at = building_++;
  const auto copy = [](Range& to, const Range& from) {
    to.begin.store(from.begin.load(std::memory_order_relaxed), std::memory_order_relaxed);
    to.end.store(from.end.load(std::memory_order_relaxed), std::memory_order_relaxed);
    to.bias.store(from.bias.load(std::memory_order_relaxed), std::memory_order_relaxed);
    to.identity.store(from.identity.load(std::memory_order_relaxed), std::memory_order_relaxed);
  };
  for (; at > 0 && ranges[at - 1].begin.load(std::memory_order_relaxed) > module.begin; --at) copy(ranges[at], ranges[at - 1]);
  ranges[at].begin.store(module.begin, std::memory_order_relaxed);
  ranges[at].end.store(module.end, std::memory_order_relaxed);
  ranges[at].bias.store(module.bias, std::memory_order_relaxed);
  ranges[at].identity.store(identity, std::memory_order_relaxed);
}

void ModuleTable::Publish() {
  const uint64_t next = generation_.load(std::memory_order_relaxed) + 1;
  range_count_[next % 2].store(building_, std::memory_order_relaxed);
  generation_.store(next, std::memory_order_release);
}

ModuleTable::Location ModuleTable::Find(uintptr_t address) {
  constexpr int kAttempts = 3;  // after a round that ends meanwhile, the next round may write where we read
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const uint64_t generation = generation_.load(std::memory_order_acquire);
    const auto& ranges = ranges_[generation % 2];
    size_t low = 0, high = range_count_[generation % 2].load(std::memory_order_relaxed);
    while (low < high) {  // the last range that begins at or below the address
      const size_t middle = (low + high) / 2;
      if (ranges[middle].begin.load(std::memory_order_relaxed) <= address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    Location location;
    if (low > 0 && address < ranges[low - 1].end.load(std::memory_order_relaxed)) {
      location.module = &identities_[ranges[low - 1].identity.load(std::memory_order_relaxed)];
      location.offset = address - ranges[low - 1].bias.load(std::memory_order_relaxed);
      location.end = ranges[low - 1].end.load(std::memory_order_relaxed);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (generation_.load(std::memory_order_relaxed) == generation) return location;
  }
  return {};
}

void ModuleTable::ForgetTags() {
  for (size_t i = 0; i < identity_count_; ++i) identities_[i].tag.store(0, std::memory_order_relaxed);
}

}  // namespace memprof
