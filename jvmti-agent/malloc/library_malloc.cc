#include "malloc/library_malloc.h"

#include <pthread.h>

#include "base/guarded.h"
#include "hooking/native_stack.h"
#include "malloc/malloc_hooks.h"
#include "malloc/spared_modules.h"
#include "stacks/capture.h"
#include "stacks/native_calls.h"

namespace memprof {
namespace {

LibraryMalloc* of_process = nullptr;  // for the handler of forks, which takes no argument

}  // namespace

Status LibraryMalloc::Start(JavaVM* vm, jvmtiEnv* jvmti, JNIEnv* jni, uint64_t interval_bytes) {
  interval_ = interval_bytes;
  if (!redirected_) {
    const Result<JavaThreads> threads = JavaThreads::Find(jni);
    if (!threads.ok()) return threads.status();
    threads_ = *threads;
    vm_ = vm;
    jvmti_ = jvmti;
    InitNativeStack();
    SetMallocHooksSink(this);
    const MallocHooks hooks = MallocHookList();
    Status redirected = loader_.Start(hooks.hooks, hooks.count, IsSpared);
    if (!redirected.ok()) return redirected;
    of_process = this;
    pthread_atfork(nullptr, nullptr, [] { of_process->Forked(); });
    redirected_ = true;
  }
  BeginToRecord();
  LookForLibraries();
  return {};
}

void LibraryMalloc::Stop() { RecordNoMore(); }

void LibraryMalloc::LookForLibraries() {
  if (redirected_) loader_.RefreshAfterOthers();
}

// Locks of ours may be held by threads that don't exist here.
void LibraryMalloc::Forked() {
  forked_ = true;
  RecordNoMore();
  PassOnInThisThread();
}

void LibraryMalloc::Allocated(uintptr_t address, uint64_t size, const SampleWeight& weight) noexcept {
  Guarded([&] {
    loader_.Refresh();
    void* env = nullptr;
    auto thread = BlockTracker::Thread::kNative;
    if (vm_->GetEnv(&env, JNI_VERSION_1_8) == JNI_OK) thread = BlockTracker::Thread::kJavaNotAsked;
    CapturedStack java;
    NativeCalls native;
    CaptureNativeCalls(&loader_, MayHoldALock, &native);
    if (native.caller == NativeCaller::kThreadStart) thread = BlockTracker::Thread::kNative;  // even if it is attached to the JVM
    auto* jni = static_cast<JNIEnv*>(env);
    if (jni != nullptr && native.caller == NativeCaller::kJava && !native.by_marked && threads_.IsInNative(jni)) {
      thread = BlockTracker::Thread::kJava;
      CaptureStack(jvmti_, nullptr, &java);
    }
    // The library may be within GetPrimitiveArrayCritical, where JNI must not be called.
    blocks_->Allocated({jvmti_, nullptr, java, thread, &native}, address, size, weight);
  });
}

void LibraryMalloc::Freeing(uintptr_t address) noexcept {
  if (forked_) return;
  Guarded([&] { blocks_->Freeing(address); });
}

std::optional<OffHeapBlock> LibraryMalloc::Detach(uintptr_t address) noexcept {
  std::optional<OffHeapBlock> block;
  if (forked_) return block;
  Guarded([&] { block = blocks_->Detach(address); });
  return block;
}

void LibraryMalloc::Resized(uintptr_t old_address, const OffHeapBlock& old, bool done) noexcept {
  Guarded([&] { done ? blocks_->Release(old) : blocks_->Reattach(old_address, old); });
}

}  // namespace memprof
