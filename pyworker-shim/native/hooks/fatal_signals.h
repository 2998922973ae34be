// Records in the box which signal a worker dies of, and where. Its daemon ignores SIGCHLD, so no other process gets to know it.
//
// Handlers of SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT, on an alternate stack, in front of existing handlers (faulthandler's).
// They record the signal, then the stack as far as it can be walked, and pass the signal on. Without an earlier handler the
// process dies of the signal as it would have without us: same status, same core.
#pragma once

namespace memprof {

// Once for each process; forked children inherit it. If a handler can't be installed, its signal is not recorded.
void NoteFatalSignals();

}  // namespace memprof
