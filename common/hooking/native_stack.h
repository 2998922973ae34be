// The calling thread's own native stack, for samples: return addresses, innermost first.
//
// Unwinding is libunwind's, by the modules' .eh_frame (CPython, Arrow and most wheels have no frame pointers), about 7 ns a frame
// once an address has been seen on a thread. These points avoid conflicts with the host:
// - it is linked statically and hidden: other unwinding in the process does not change;
// - its shared cache is off. It would be filled under its own lock while waiting for the loader's list lock, and a hook inside a
//   dl_iterate_phdr callback takes these two in the opposite order. Each thread's frame cache
//   (256 KiB, resident, from the first time that it is used until the thread's end) needs no lock;
// - the frame cache can't forget. After a module was unloaded, other code may be at a remembered address. The caller then says
//   so, and stacks are walked slowly, without the cache: about 7 µs a frame;
// - no thread forks while another one unwinds (see PrepareFork), because the child would inherit held locks of libunwind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace memprof {

// Prepares what libunwind prepares on first use; it opens no descriptor. Not HOOK; call before the first capture.
void InitNativeStack();

// HOOK. Fills `addresses` with fewer than `capacity` return addresses, the caller's own first; returns how many.
// 0: unknown, e.g. the process is about to fork. `without_cache`: code was unloaded, or the thread is to have no cache; see above.
__attribute__((noinline)) size_t CaptureNativeStack(uintptr_t* addresses, size_t capacity, bool without_cache);

// Finds the positions of return addresses on the calling thread's stack. `addresses`: captured just before, into an array that is
// in the caller's frame or on no stack; addresses of the caller itself and of later calls are dropped. HOOK.
class FramePlaces {
 public:
  FramePlaces(const uintptr_t* addresses, size_t count) : addresses_(addresses), count_(count) {}

  // How many of the addresses return to frames below `boundary`, an address on this stack above the boundary of the call before.
  // Nothing where the addresses end before it, where it isn't above, or with more than 64 KiB of stack between two boundaries.
  __attribute__((noinline)) std::optional<size_t> Below(const void* boundary);

 private:
  const uintptr_t* addresses_;
  size_t count_, found_ = 0;
  uintptr_t at_ = 0;  // looked at up to here
};

// Around fork(), from pthread_atfork handlers: waits until no thread is unwinding (microseconds) and keeps new ones out. If one
// does not finish within a tenth of a second, the child never unwinds.
void PrepareFork();
void AfterForkInParent();
void AfterForkInChild();

}  // namespace memprof
