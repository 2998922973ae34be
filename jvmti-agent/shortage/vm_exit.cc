#include "shortage/vm_exit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "base/blocked_signals.h"
#include "hooking/got_patcher.h"
#include "hooking/loaded_module.h"
#include "rows/hotspot_layout.h"

namespace memprof {
namespace {

constexpr int kExitOnOutOfMemory = 3;                // HotSpot's code
constexpr int kThreadInNative = 4, kThreadInVm = 6;  // HotSpot's JavaThreadState

struct Watch {
  JavaVM* vm = nullptr;
  OutOfMemoryExit told = nullptr;
  intptr_t env_offset = 0;  // of the JNIEnv in HotSpot's JavaThread
  uintptr_t state_offset = 0;
  GotPatcher patcher;
};

Watch* watch = nullptr;  // never freed: calls may come until the process is gone
std::atomic<bool> armed{false};
std::atomic<pid_t> leaving{0};  // the thread whose exit is being reported; 0: none yet
void* original_exit = nullptr;
void* original_exit_now = nullptr;

std::atomic<int>* StateOf(const JNIEnv* jni, intptr_t env_offset, uintptr_t state_offset) {
  return reinterpret_cast<std::atomic<int>*>(reinterpret_cast<uintptr_t>(jni) - static_cast<uintptr_t>(env_offset) + state_offset);
}

void CallExit(void* function, int code) { reinterpret_cast<void (*)(int)>(function)(code); }

// False: there is no timer that would end the JVM if the last words take too long.
bool StartTimer(int code) {
  const BlockedSignals blocked;
  try {
    std::thread([code] {
      sleep(kMostExitSeconds);
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
  std::atomic<int>* state = StateOf(jni, watch->env_offset, watch->state_offset);
  if (state->load(std::memory_order_acquire) != kThreadInVm || !StartTimer(code)) return;
  leaving = gettid();
  state->store(kThreadInNative, std::memory_order_seq_cst);
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

// The address of this thread's JavaThread in HotSpot, from a field of java.lang.Thread; 0: not known.
uintptr_t CurrentJavaThread(JNIEnv* jni) {
  uintptr_t address = 0;
  jclass type = jni->FindClass("java/lang/Thread");
  jmethodID current = type == nullptr ? nullptr : jni->GetStaticMethodID(type, "currentThread", "()Ljava/lang/Thread;");
  jfieldID field = current == nullptr ? nullptr : jni->GetFieldID(type, "eetop", "J");
  jobject thread = field == nullptr ? nullptr : jni->CallStaticObjectMethod(type, current);
  if (thread != nullptr && jni->ExceptionCheck() == JNI_FALSE) address = static_cast<uintptr_t>(jni->GetLongField(thread, field));
  if (jni->ExceptionCheck() != JNI_FALSE) jni->ExceptionClear();
  jni->DeleteLocalRef(thread);
  jni->DeleteLocalRef(type);
  return address;
}

Status Unknown(const char* what) {
  return Status::Error(ErrorCode::kUnsupported, "an exit by ExitOnOutOfMemoryError isn't seen: this JVM doesn't show %s", what);
}

}  // namespace

Status WatchOutOfMemoryExit(JavaVM* vm, JNIEnv* jni, OutOfMemoryExit told) {
  if (watch != nullptr) {
    armed = true;
    return {};
  }
  const std::optional<uint64_t> state_offset = ReadHotSpotLayout().thread_state;
  const uintptr_t thread = CurrentJavaThread(jni);
  if (!state_offset) return Unknown("what a thread does");
  if (thread == 0) return Unknown("its threads");
  const intptr_t env_offset = static_cast<intptr_t>(reinterpret_cast<uintptr_t>(jni) - thread);
  constexpr intptr_t kLargestThread = 64 << 10;
  if (env_offset <= 0 || env_offset > kLargestThread || *state_offset > kLargestThread ||
      StateOf(jni, env_offset, *state_offset)->load(std::memory_order_relaxed) != kThreadInNative) {
    return Unknown("its threads as expected");
  }
  auto made = std::make_unique<Watch>();
  if (Status status = made->patcher.Init(kHooks, std::size(kHooks)); !status.ok()) return status;
  made->vm = vm;
  made->told = told;
  made->env_offset = env_offset;
  made->state_offset = *state_offset;
  watch = made.release();
  armed = true;
  VisitLoadedModules([](const LoadedModule& module) {
    if (std::string_view(module.path).ends_with("/libjvm.so")) watch->patcher.Patch(module);
  });
  return watch->patcher.patched() == 0 ? Unknown("its call of exit") : Status();
}

void LetOutOfMemoryExitEnd() {
  const pid_t thread = leaving;
  while (thread != 0 && thread != gettid()) pause();  // pause() returns when a signal comes
}

}  // namespace memprof
