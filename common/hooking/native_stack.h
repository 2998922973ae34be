// The calling thread's own native stack, for samples: return addresses, innermost first.
//
// Unwinding is libunwind's, by the modules' .eh_frame (CPython, Arrow and most wheels have no frame pointers), about 7 ns a
// frame once an address has been seen on a thread. What keeps it out of the host's way:
// - it is linked statically and hidden: nobody else's unwinding changes;
// - its shared cache is off. It would be filled under a lock of its own while waiting for the loader's list lock, and a
//   hook inside somebody's dl_iterate_phdr callback takes those two the other way round. Each thread's frame cache
//   (256 KiB, made at the thread's first sample) needs no lock;
// - that cache can't forget. Once a module was unloaded, another one's code may lie at a remembered address, so the
//   caller says so and stacks are then walked slowly, without it;
// - no thread forks while another one unwinds (see PrepareFork), or the child would inherit libunwind's locks held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace memprof {

// Opens what libunwind opens on first use. Not HOOK; call before the first capture.
void InitNativeStack();

// HOOK. Fills `addresses` with fewer than `capacity` return addresses, the caller's own first; returns how many.
// 0: unknown, e.g. the process is about to fork. `code_was_unloaded`: see above.
__attribute__((noinline)) size_t CaptureNativeStack(uintptr_t* addresses, size_t capacity, bool code_was_unloaded);

// Finds return addresses where the calls have left them on the calling thread's stack. `addresses`: captured just now, into an
// array of the caller's frame or one that is on no stack; the caller's own and later calls' are dropped. HOOK.
class FramePlaces {
 public:
  FramePlaces(const uintptr_t* addresses, size_t count) : addresses_(addresses), count_(count) {}

  // How many of the addresses return to frames that lie below `boundary`, an address on this stack above that of the call before.
  // Nothing where they end before it or it isn't above, or after more than 64 KiB of stack between two boundaries.
  __attribute__((noinline)) std::optional<size_t> Below(const void* boundary);

 private:
  const uintptr_t* addresses_;
  size_t count_, found_ = 0;
  uintptr_t at_ = 0;  // looked at up to here
};

// Around fork(), from pthread_atfork handlers: waits until no thread is unwinding (microseconds) and keeps new ones out.
// Should one not finish within a tenth of a second, the child never unwinds.
void PrepareFork();
void AfterForkInParent();
void AfterForkInChild();

}  // namespace memprof
