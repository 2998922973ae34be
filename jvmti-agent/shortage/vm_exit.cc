#include "shortage/vm_exit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <iterator>
#include <memory>
#include <string_view>
#include <thread>

#include "base/blocked_signals.h"
#include "hooking/got_patcher.h"
#include "hooking/loaded_module.h"
#include "rss/java_threads.h"

namespace memprof {
namespace {

constexpr int kExitOnOutOfMemory = 3;  // HotSpot's code
constexpr std::chrono::seconds kMostExit{6};

struct Watch {
  JavaVM* vm = nullptr;
  OutOfMemoryExit told = nullptr;
  JavaThreads threads;
  GotPatcher patcher;
};

Watch* watch = nullptr;  // never freed: calls may come until the process is gone
std::atomic<bool> armed{false};
std::atomic<int> factor{1};
std::atomic<pid_t> leaving{0};  // the thread whose exit is being reported; 0: none yet
void* original_exit = nullptr;
void* original_exit_now = nullptr;

void CallExit(void* function, int code) { reinterpret_cast<void (*)(int)>(function)(code); }

// False: there is no timer that would end the JVM if the last words take too long.
bool StartTimer(int code) {
  const BlockedSignals blocked;
  try {
    std::thread([code] {
      std::this_thread::sleep_for(MostExit());
      CallExit(original_exit_now, code);
    }).detach();
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

// Does not return if it reports the exit. Once this thread is in native code, a collection may run at the same time. The collector
// needs libjvm's static objects, which exit() would destroy. So the process ends by _exit(), as newer JVMs do in any case.
void TellFirst(int code) {
  if (code != kExitOnOutOfMemory || !armed.exchange(false)) return;
  void* env = nullptr;
  if (watch->vm->GetEnv(&env, JNI_VERSION_1_8) != JNI_OK) return;  // not a Java thread
  auto* jni = static_cast<JNIEnv*>(env);
  std::atomic<int>* state = watch->threads.StateOf(jni);
  if (state->load(std::memory_order_acquire) != JavaThreads::kInVm || !StartTimer(code)) return;
  leaving = gettid();
  state->store(JavaThreads::kInNative, std::memory_order_seq_cst);
  watch->told(jni);
  fflush(nullptr);  // as exit() does
  CallExit(original_exit_now, code);
}

[[noreturn]] void OnExit(int code) {
  TellFirst(code);
  CallExit(original_exit, code);
  __builtin_unreachable();
}

[[noreturn]] void OnExitNow(int code) {
  TellFirst(code);
  CallExit(original_exit_now, code);
  __builtin_unreachable();
}

const GotHook kHooks[] = {{"exit", reinterpret_cast<void*>(OnExit), &original_exit},
                          {"_exit", reinterpret_cast<void*>(OnExitNow), &original_exit_now}};

}  // namespace

std::chrono::seconds MostExit() { return kMostExit * factor.load(); }

Status WatchOutOfMemoryExit(JavaVM* vm, JNIEnv* jni, OutOfMemoryExit told, int patience) {
  factor = patience;
  if (watch != nullptr) {
    armed = true;
    return {};
  }
  const Result<JavaThreads> threads = JavaThreads::Find(jni);
  if (!threads.ok()) return threads.status();
  auto made = std::make_unique<Watch>();
  if (Status status = made->patcher.Init(kHooks, std::size(kHooks)); !status.ok()) return status;
  made->vm = vm;
  made->told = told;
  made->threads = *threads;
  watch = made.release();
  armed = true;
  VisitLoadedModules([](const LoadedModule& module) {
    if (std::string_view(module.path).ends_with("/libjvm.so")) watch->patcher.Patch(module);
  });
  if (watch->patcher.patched() != 0) return {};
  return Status::Error(ErrorCode::kUnsupported, "this JVM doesn't show its call of exit");
}

void LetOutOfMemoryExitEnd() {
  const pid_t thread = leaving;
  while (thread != 0 && thread != gettid()) pause();  // pause() returns when a signal comes
}

}  // namespace memprof
