// LeftThreads: threads of the user's that run on when the task that has started them is over. What they allocate is no later task's.
//
// They are looked for when a session opens, by the functions that they run: threads whose outermost function is the user's own. A pool's
// threads run its package's code (concurrent.futures, multiprocessing), and work for whichever task gives them something to do. Threads
// that such a thread starts later are taken for the task's that runs then.
//
// Note() and ForEachTold() are for one thread at a time, with the GIL, beside any number of readers. Zero at first.
#pragma once

#include <Python.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memprof {

class LeftThreads {
 public:
  static constexpr size_t kMost = 64;          // further ones are taken for the task's
  static constexpr size_t kNameBytes = 128;    // longer names are cut
  static constexpr size_t kMostToldApart = 4;  // functions; those of the rest are one

  // Not HOOK. All of them but the caller's own.
  void Note();

  // HOOK. The calling thread allocates so many bytes, 0 where they were refused. True: it is one of them.
  bool Charge(uint64_t bytes) {
    if (newest_.load(std::memory_order_relaxed) == 0) return false;
    const PyThreadState* own = PyGILState_GetThisThreadState();
    if (own == nullptr || own->id > newest_.load(std::memory_order_relaxed)) return false;
    for (Thread& thread : threads_) {
      if (thread.id.load(std::memory_order_relaxed) != own->id) continue;
      thread.bytes.fetch_add(bytes, std::memory_order_relaxed);
      return true;
    }
    return false;
  }

  // Not HOOK. What their functions have allocated since they were last told: tell(name, bytes). The name ends in NUL.
  template <typename Tell>
  void ForEachTold(Tell tell) {
    Told told[kMostToldApart + 1] = {};
    const size_t count = Sum(told);
    for (size_t i = 0; i < count; ++i) tell(told[i].name, told[i].bytes);
  }

  void AfterForkInChild();  // they are gone

 private:
  struct Thread {
    std::atomic<uint64_t> id{0};  // of its thread state, which is never given twice; 0: a free place
    std::atomic<uint64_t> bytes{0};
    char name[kNameBytes] = {};  // of the function that it runs
  };
  struct Told {
    char name[kNameBytes];
    uint64_t bytes;
  };

  Thread* PlaceOf(uint64_t id);
  size_t Sum(Told* told);

  std::atomic<uint64_t> newest_{0};  // the largest id; 0: there are none
  Thread threads_[kMost] = {};
};

}  // namespace memprof
