#include "profiler.h"

#include <Python.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "allocators/hook_state.h"
#include "allocators/hooked_functions.h"
#include "allocators/pymalloc_hooks.h"
#include "base/clock.h"
#include "base/counter_names.h"
#include "base/hash.h"
#include "frames/code_fields.h"
#include "frames/frame_cursor.h"
#include "frames/interpreter.h"
#include "hooking/got_patcher.h"
#include "hooking/native_stack.h"
#include "lookups/symbol_lookups.h"
#include "resident/rss_rows.h"
#include "system/malloc_figures.h"

namespace memprof {
namespace {

template <typename Function>
GotHook HookFor(const char* symbol, std::type_identity_t<Function>* replacement, Function** original, bool may_be_missing = false) {
  return {symbol, reinterpret_cast<void*>(replacement), reinterpret_cast<void**>(original), may_be_missing};
}

#define MEMPROF_HOOK(name, hook, may_be_missing, result, parameters) HookFor(#name, hook, &real.name, may_be_missing),
const GotHook kHooks[] = {
    MEMPROF_HOOKED_FUNCTIONS(MEMPROF_HOOK)                      //
    HookFor("mmap64", HookMmap, &real.mmap),                    // the same function
    HookFor("dlsym", memprof_hook_dlsym, &memprof_real_dlsym),  // the last: not on every processor
};
#undef MEMPROF_HOOK
constexpr size_t kHookCount = std::size(kHooks) - (kHooksLookups ? 0 : 1);

bool prepared = false;  // preparations are made once; forked children inherit them
bool mimalloc_serves_objects = false;
uint64_t told_dropped_regions = 0;

// Of CPython 3.13 and later (PYTHONMALLOC): it serves objects of every size from mappings of its own, and no hook sees those that pymalloc
// leaves to malloc. Before our own hooks are in place.
bool MimallocServesObjects() {
  auto* name_of = reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "_PyMem_GetCurrentAllocatorName"));
  const char* name = name_of == nullptr ? nullptr : name_of();
  return name != nullptr && strncmp(name, "mimalloc", strlen("mimalloc")) == 0;
}

// ThreadSanitizer's runtime calls libc, which calls realloc, before a new thread may run instrumented code such as a hook.
bool IsLibcUnderThreadSanitizer([[maybe_unused]] const LoadedModule& module) {
#ifdef __SANITIZE_THREAD__
  return module.Contains(reinterpret_cast<uintptr_t>(&gnu_get_libc_version));
#else
  return false;
#endif
}

// Its pointers are left alone. A preloaded allocator calls mmap for memory that is counted already as its malloc's.
bool IsSpared(const LoadedModule& module) {
  if (IsLibcUnderThreadSanitizer(module)) return true;
  return module.Contains(reinterpret_cast<uintptr_t>(real.malloc)) && !module.Contains(reinterpret_cast<uintptr_t>(real.mmap));
}

void BeforeFork() {
  hook_state.loader.PrepareFork();
  PrepareFork();
}

void AfterForkInParentProcess() {
  AfterForkInParent();
  hook_state.loader.AfterForkInParent();
}

void AfterForkInChildProcess() {
  Recorder* inherited = hook_state.End();
  Recorder::AbandonInChild(inherited);
  hook_state.regions.AfterForkInChild();
  told_dropped_regions = hook_state.regions.dropped();  // what is not told yet is the parent's
  AfterForkInChild();
  hook_state.loader.AfterForkInChild();
  hook_state.scratches.AfterForkInChild();
  hook_state.left_threads.AfterForkInChild();
  // Otherwise the child would sample at the same places as its parent.
  hook_thread.sampler.Seed(Mix64(static_cast<uint64_t>(getpid())) ^ static_cast<uint64_t>(MonotonicNs()));
}

Status PrepareOnce() {
  if (prepared) return {};
  if (!SelfCheck()) {
    return Status::Error(ErrorCode::kUnsupported, "the frames of this CPython %s aren't laid out as those of a stock build",
                         Py_GetVersion());
  }
  Result<Interpreter> interpreter = FindInterpreter();
  if (!interpreter.ok()) return interpreter.status();
  hook_state.interpreter = *interpreter;
  InitNativeStack();
  mimalloc_serves_objects = MimallocServesObjects();
  if (pthread_atfork(BeforeFork, AfterForkInParentProcess, AfterForkInChildProcess) != 0) {
    return Status::Error(ErrorCode::kExhausted, "no memory for fork handlers");
  }
  prepared = true;
  return {};
}

uintptr_t EndOfModule(uintptr_t address) { return hook_state.loader.modules().Find(address).end; }

// Memory from before profiling began counts as the interpreter's; in a forked child this includes its parent's memory.
void RememberWhatStands() {
  static MapScratch scratch;
  hook_state.regions.RemoveAll(RegionKind::kBefore);
  AddRegionsBefore(scratch, EndOfModule, &hook_state.regions);
}

StringRef Ref(std::string_view text) { return {text.data(), static_cast<uint32_t>(text.size())}; }

Recorder* Active() { return hook_state.recorder.load(std::memory_order_acquire); }

}  // namespace

Status StartProfiler(const char* box_directory, const char* application_id, const char* executor_id, uint64_t interval_bytes,
                     bool started_by_task) {
  if (ProfilerStarted()) return {};
  const ReentryGuard guard(hook_thread);
  Status status = PrepareOnce();
  if (!status.ok()) return status;
  RememberWhatStands();
  // The version of the running interpreter, not of the headers. Py_GetVersion: "3.11.7 (main, …) [GCC …]".
  char python_version[32];
  snprintf(python_version, sizeof python_version, "%.*s", static_cast<int>(strcspn(Py_GetVersion(), " ")), Py_GetVersion());
  Result<Recorder*> recorder = Recorder::Create({.box_directory = box_directory,
                                                 .application_id = application_id,
                                                 .executor_id = executor_id,
                                                 .interval_bytes = interval_bytes,
                                                 .python_version = python_version,
                                                 .regions = &hook_state.regions,
                                                 .in_use_before_bytes = ReadMallocFigures().in_use_bytes,
                                                 .module_end = EndOfModule,
                                                 .started_by_task = started_by_task});
  if (!recorder.ok()) return recorder.status();
  hook_state.names.Forget();
  hook_state.stacks.Forget();
  hook_state.loader.modules().ForgetTags();
  hook_state.interval.store(interval_bytes, std::memory_order_relaxed);
  hook_state.Begin(*recorder);
  status = hook_state.loader.Start(kHooks, kHookCount, IsSpared);
  if (!status.ok()) {
    hook_state.End()->Finish();
    return status;
  }
  InstallPymallocHooks();
  return {};
}

void StopProfiler() {
  if (!ProfilerStarted()) return;
  UninstallPymallocHooks();
  const ReentryGuard guard(hook_thread);
  hook_state.loader.Stop();
  hook_state.End()->Finish();
}

bool ProfilerStarted() { return Active() != nullptr; }

namespace {

// Modules remember their numbers in the recorder's tables, which may be emptied meanwhile.
template <typename Change>
void ForgettingTags(Recorder* recorder, Change change) {
  const uint32_t epoch = recorder->intern_epoch();
  change();
  if (recorder->intern_epoch() != epoch) hook_state.loader.modules().ForgetTags();
}

// What they have allocated until now, while the worker waited, is of no session.
void NoteLeftThreads() {
  hook_state.left_threads.ForEachTold([](const char*, uint64_t) {});
  hook_state.left_threads.Note();
}

}  // namespace

void OpenTaskSession() {
  Recorder* recorder = Active();
  if (recorder == nullptr) return;
  InstallPymallocHooks();  // a wrapper that was installed before ours may have removed ours
  const ReentryGuard guard(hook_thread);
  if (!kCodesHaveVersions) hook_state.codes_lifetime.fetch_add(1, std::memory_order_relaxed);
  ForgettingTags(recorder, [&] { recorder->OpenSession(TaskIdentity()); });
  NoteLeftThreads();
}

void SetSessionTask(const TaskIdentity& task) {
  const ReentryGuard guard(hook_thread);
  Recorder* recorder = Active();
  if (recorder == nullptr) return;
  ForgettingTags(recorder, [&] { recorder->SetTask(task); });
  NoteLeftThreads();  // again: the session has waited for its task since it was opened
  if (mimalloc_serves_objects) recorder->SetCounter(Ref("sessionsWithMimalloc"), 1);  // at once, because the worker may be killed
}

bool AddSessionUdf(std::string_view name, std::string_view file, uint32_t line, std::string_view kind, bool is_generator) {
  const ReentryGuard guard(hook_thread);
  Recorder* recorder = Active();
  return recorder == nullptr || recorder->AddUdf(Ref(name), Ref(file), line, Ref(kind), is_generator);
}

void NameSessionCode(const void* code, std::string_view name) { hook_state.renamed.Add(code, Ref(name)); }

void SetSessionCounter(std::string_view name, uint64_t value) {
  const ReentryGuard guard(hook_thread);
  if (Recorder* recorder = Active()) recorder->SetCounter(Ref(name), value);
}

void CloseTaskSession() {
  hook_state.renamed.Clear();
  const ReentryGuard guard(hook_thread);
  Recorder* recorder = Active();
  if (recorder == nullptr) return;
  if (recorder->RssWanted()) recorder->MeasureRssAtEnd(ReadMallocFigures().free_bytes);
  if (const uint64_t dropped = hook_state.regions.dropped(); dropped != told_dropped_regions) {
    recorder->SetCounter(Ref("droppedRegions"), dropped - told_dropped_regions);
    told_dropped_regions = dropped;
  }
  hook_state.left_threads.ForEachTold([&](const char* name, uint64_t bytes) {
    char counter[sizeof kNoTaskPythonBytes + LeftThreads::kNameBytes];
    snprintf(counter, sizeof counter, "%s%.*s", kNoTaskPythonBytes, static_cast<int>(LeftThreads::kNameBytes - 1), name);
    recorder->SetCounter(Ref(counter), bytes);
  });
  recorder->CloseSession();
}

ProfilerCounters ReadProfilerCounters() {
  const ReentryGuard guard(hook_thread);
  ProfilerCounters counters = {};
  if (Recorder* recorder = Active()) counters.recorder = recorder->counters();
  counters.reservations = hook_state.reservations.load(std::memory_order_relaxed);
  counters.reserved_bytes = hook_state.reserved_bytes.load(std::memory_order_relaxed);
  counters.dropped_modules = hook_state.loader.modules().dropped();
  return counters;
}

const char* BoxPath() {
  Recorder* recorder = Active();
  return recorder != nullptr ? recorder->box_path() : "";
}

}  // namespace memprof
