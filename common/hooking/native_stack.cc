#include "hooking/native_stack.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <time.h>

#include <algorithm>
#include <atomic>

namespace memprof {
namespace {

constexpr size_t kMaxScannedBytes = 64 << 10;
constexpr uint32_t kForking = uint32_t{1} << 20;

// Threads that are unwinding, plus kForking for each that is forking. While one forks, nobody begins to unwind.
constinit std::atomic<uint32_t> unwinding{0};

bool NobodyUnwinds() { return unwinding.load(std::memory_order_acquire) % kForking == 0; }

// A thread that may not isn't counted for a moment either: a child of the fork would take it for one that unwinds.
bool BeginToUnwind() {
  uint32_t now = unwinding.load(std::memory_order_relaxed);
  while (now < kForking) {
    if (unwinding.compare_exchange_weak(now, now + 1, std::memory_order_acquire, std::memory_order_relaxed)) return true;
  }
  return false;
}

__attribute__((noinline)) size_t WalkSlowly(uintptr_t* addresses, size_t capacity) {
  unw_context_t context;
  unw_cursor_t cursor;
  if (unw_getcontext(&context) != 0 || unw_init_local(&cursor, &context) != 0) return 0;
  size_t count = 0;
  while (count < capacity && unw_step(&cursor) > 0) {
    unw_word_t address = 0;
    if (unw_get_reg(&cursor, UNW_REG_IP, &address) != 0 || address == 0) break;
    addresses[count++] = address;
  }
  return count;
}

}  // namespace

void InitNativeStack() {
  unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_NONE);
  uintptr_t addresses[4];
  CaptureNativeStack(addresses, std::size(addresses), false);
}

// libunwind frees a thread's cache, under a lock, in the last round of the thread's destructors. ThreadSanitizer's runtime, which
// intercepts the lock, has ended in that round.
#ifdef __SANITIZE_THREAD__
constexpr bool kMayCache = false;
#else
constexpr bool kMayCache = true;
#endif

size_t CaptureNativeStack(uintptr_t* addresses, size_t capacity, bool without_cache) {
  if (!BeginToUnwind()) return 0;
  size_t count = 0;
  if (without_cache || !kMayCache) {
    count = WalkSlowly(addresses, capacity);
  } else {
    static_assert(sizeof(uintptr_t) == sizeof(void*));
    count = static_cast<size_t>(std::max(0, unw_backtrace(reinterpret_cast<void**>(addresses), static_cast<int>(capacity))));
  }
  unwinding.fetch_sub(1, std::memory_order_release);
  if (count == 0) return 0;
  std::copy(addresses + 1, addresses + count, addresses);  // the first is this function's own
  return count - 1;
}

// Reads the frames of its callers; a sanitizer would report an overrun. It never reads beyond the last address, because each address is
// found at its place on the stack or before it.
__attribute__((no_sanitize("address"))) std::optional<size_t> FramePlaces::Below(const void* boundary) {
  const auto end = reinterpret_cast<uintptr_t>(boundary);
  if (at_ == 0) {
    const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)),
               array_end = reinterpret_cast<uintptr_t>(addresses_ + count_);
    at_ = frame < array_end && array_end < end ? array_end : frame;  // an array on the stack holds them, too
  }
  if (end <= at_ || end - at_ > kMaxScannedBytes) return std::nullopt;
  for (; at_ < end && found_ < count_; at_ += sizeof(uintptr_t)) {
    if (*reinterpret_cast<const uintptr_t*>(at_) == addresses_[found_]) ++found_;
  }
  if (at_ < end) return std::nullopt;
  return found_;
}

void PrepareFork() {
  unwinding.fetch_add(kForking, std::memory_order_acquire);
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 100'000};
  for (int pauses = 0; !NobodyUnwinds() && pauses < 1000; ++pauses) nanosleep(&kPause, nullptr);
}

void AfterForkInParent() { unwinding.fetch_sub(kForking, std::memory_order_release); }

void AfterForkInChild() {
  if (NobodyUnwinds()) unwinding.store(0, std::memory_order_release);
}

}  // namespace memprof
