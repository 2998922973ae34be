// Executors that are gone, without what a line about their death does not need.
#pragma once

#include <cstddef>

#include "rollup/state.h"

namespace memprof {

// How many executors stay whole: those that used most at their peak, of the others the newest, and of the rest those that used most at
// last. A report has no row for more, and hardly a post-mortem.
struct WholeExecutors {
  size_t rows, deaths;  // of the first; of each of the others
};

// Shortens all other removed executors. What is left is who it was, what it used last, what the kernel had counted, and what its heap
// retained. Returns how many became smaller. Of a message that comes later, what it carries is there again.
size_t ShortenExecutors(WholeExecutors whole, StoreState& state);

// Of the same executors, drops what their heaps retained, which is a part of the stages' sums. Returns of how many.
size_t DropRetained(WholeExecutors whole, StoreState& state);

}  // namespace memprof
