// Says in the box which signal a worker dies of, and where: its daemon ignores SIGCHLD, so that nobody else ever learns it.
//
// Handlers of SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT, on an alternate stack, in front of those that are there (faulthandler's):
// they note the signal, then the stack as far as it can be walked, and pass the signal on. Without a handler before them the process
// dies of the signal as it would have: same status, same core.
#pragma once

namespace memprof {

// Once a process; forked children inherit it. Where a handler can't be put in place, its signal goes unnoticed.
void NoteFatalSignals();

}  // namespace memprof
