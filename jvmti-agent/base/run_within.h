// Work that may hang, such as on the file system of the black boxes, when nothing may keep the JVM from ending. Thread-safe.
#pragma once

#include <chrono>
#include <functional>

namespace memprof {

// Runs `work` on a thread of its own and waits for its end, at most so long. False: it still runs, so what it refers to must live on. The
// thread is unknown to the JVM and has all signals blocked. Where the system gives no thread, `work` runs on the caller's.
bool RunWithin(std::chrono::milliseconds most, std::function<void()> work);

// The same for a caller that has no time or stack for the work itself: where the system gives no thread, nothing runs. False then, too.
bool RunApartWithin(std::chrono::milliseconds most, std::function<void()> work);

}  // namespace memprof
