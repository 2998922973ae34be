#include "fatal_signals.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <iterator>

#include "allocators/hook_state.h"
#include "base/errno_keeper.h"
#include "frames/mixed_stack.h"
#include "sites/live_set.h"

namespace memprof {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr size_t kStackBytes = 256 << 10;  // of address space; only the part that unwinding uses becomes resident

struct sigaction before[std::size(kSignals)];
bool noted = false;

// One thread walks its stack, once. The memory that it reads may be damaged: a second signal ends the walk.
std::atomic<pid_t> walker{0};
sigjmp_buf end_of_walk;

pid_t ThreadId() { return static_cast<pid_t>(syscall(SYS_gettid)); }

uintptr_t InstructionIn(const void* context) {
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#ifdef __aarch64__
  return machine.pc;
#else
  return static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#endif
}

void Note(int signal, const siginfo_t& info, const void* context) {
  Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
  if (recorder == nullptr) return;
  pid_t nobody = 0;
  if (!walker.compare_exchange_strong(nobody, ThreadId())) return;  // another thread is handling a fatal signal already
  recorder->NoteFatalSignal(signal, info.si_code, kNoStack);
  if (hook_thread.guard != 0) return;  // the signal came in our own code, which may hold locks that the walk needs
  const ReentryGuard guard(hook_thread);
  if (sigsetjmp(end_of_walk, 0) != 0) return;
  hook_state.names.Interrupted(InstructionIn(context));
  recorder->NoteFatalSignal(signal, info.si_code, CaptureMixedStack(hook_state.SourcesFor(*recorder), StackDetail::kNative, kLargeBlock));
}

// A fault occurs again when its instruction runs again; a signal that was sent must be sent again.
void DieOf(int signal, const siginfo_t& info) {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  if (info.si_code <= 0) syscall(SYS_tgkill, getpid(), ThreadId(), signal);
}

void PassOn(int signal, siginfo_t* info, void* context) {
  size_t index = 0;
  while (index + 1 < std::size(kSignals) && kSignals[index] != signal) ++index;
  const struct sigaction& next = before[index];
  if ((next.sa_flags & SA_SIGINFO) != 0) {
    next.sa_sigaction(signal, info, context);
  } else if (next.sa_handler == SIG_DFL) {
    DieOf(signal, *info);
  } else if (next.sa_handler != SIG_IGN) {
    next.sa_handler(signal);
  }
}

void Handle(int signal, siginfo_t* info, void* context) {
  if (walker.load() == ThreadId()) siglongjmp(end_of_walk, 1);
  {
    const ErrnoKeeper errno_keeper;
    Note(signal, *info, context);
    pid_t own = ThreadId();
    walker.compare_exchange_strong(own, 0);  // the next handler may let the process continue
  }
  PassOn(signal, info, context);
}

// Makes an alternate stack, because a stack that overflowed has no room for a handler. An existing one (faulthandler's) is kept.
void HaveAlternateStack() {
  stack_t now = {};
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  const ReentryGuard guard(hook_thread);
  void* memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t own = {};
  own.ss_sp = memory;
  own.ss_size = kStackBytes;
  if (sigaltstack(&own, nullptr) != 0) munmap(memory, kStackBytes);
}

}  // namespace

void NoteFatalSignals() {
  if (noted) return;
  noted = true;
  HaveAlternateStack();
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    if (sigaction(kSignals[i], nullptr, &before[i]) != 0 || before[i].sa_handler == SIG_IGN) continue;
    struct sigaction own = {};
    own.sa_sigaction = Handle;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(kSignals[i], &own, nullptr);
  }
}

}  // namespace memprof
