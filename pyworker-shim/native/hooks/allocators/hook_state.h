// What every hook shares: the recorder it reports to, and its thread's sampler and re-entry guard. All of it is static and zero
// at first. Nothing is ever destroyed, because hooks may run until the process's last instruction.
#pragma once

#include <atomic>
#include <cstdint>

#include "frames/frame_names.h"
#include "frames/interpreter.h"
#include "frames/left_threads.h"
#include "frames/mixed_stack.h"
#include "frames/renamed_codes.h"
#include "frames/stack_scratch.h"
#include "hooking/loader_watch.h"
#include "resident/region_table.h"
#include "sampling/poisson_sampler.h"
#include "sites/live_filter.h"
#include "sites/recorder.h"

namespace memprof {

// An empty LiveFilter. Never written, so it takes only address space.
inline constinit std::atomic<uint8_t> nothing_live[LiveFilter::kBytes] = {};

struct HookState {
  std::atomic<Recorder*> recorder{nullptr};                            // null: hooks pass everything on
  std::atomic<const std::atomic<uint8_t>*> live_counts{nothing_live};  // the recorder's, so that free() need not load the recorder
  std::atomic<uint64_t> interval{0};                                   // bytes
  LoaderWatch loader;
  FrameNames names;
  RenamedCodes renamed;
  StackMemo stacks;
  Interpreter interpreter;
  ScratchPool scratches;
  RegionTable regions;
  LeftThreads left_threads;
  // Before CPython 3.12 it counts sessions: a code object may look like one of an earlier session. From 3.12 on it stays 0.
  std::atomic<uint32_t> codes_lifetime{0};
  // Mappings that only reserve address space (PROT_NONE, MAP_NORESERVE): charged to no line.
  std::atomic<uint64_t> reservations{0}, reserved_bytes{0};

  void Begin(Recorder* begun) {
    live_counts.store(begun->live_counts(), std::memory_order_release);  // first, so that no free of a followed block is missed
    recorder.store(begun, std::memory_order_release);
  }
  // Returns the recorder that was there, or null.
  Recorder* End() {
    live_counts.store(nothing_live, std::memory_order_release);
    return recorder.exchange(nullptr, std::memory_order_acq_rel);
  }
  StackSources SourcesFor(Recorder& target) {
    return {target, loader, names, renamed, stacks, scratches, interpreter, codes_lifetime.load(std::memory_order_relaxed)};
  }
  // False means certainly not followed.
  bool MayBeLive(const void* block) const {
    return LiveFilter::May(live_counts.load(std::memory_order_acquire), reinterpret_cast<uintptr_t>(block));
  }
};
extern HookState hook_state;

// Plain data in the static TLS block: reached by one instruction, without allocation, until the thread is gone.
struct HookThread {
  PoissonSampler sampler;
  uint64_t unrefreshed;  // bytes sampled since the loader's counters were read
  uint32_t guard;        // above 0: the calls that hooks see are our own, or already counted
  bool probing;          // the next large calloc checks that our wrapper is still called
};
extern __thread HookThread hook_thread __attribute__((tls_model("initial-exec")));

class ReentryGuard {
 public:
  explicit ReentryGuard(HookThread& thread) : thread_(thread) { ++thread_.guard; }
  ~ReentryGuard() { --thread_.guard; }
  ReentryGuard(const ReentryGuard&) = delete;
  ReentryGuard& operator=(const ReentryGuard&) = delete;

 private:
  HookThread& thread_;
};

}  // namespace memprof
