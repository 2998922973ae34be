// The hooks inside a CPython that this program embeds: what a Python worker runs, where a sanitizer sees all of it. What the boxes hold on
// every CPython: tests/python. bytes(n) is one block of n + 33 bytes, and nothing else.
#include <Python.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "allocators/arena_hooks.h"
#include "allocators/hook_state.h"
#include "blackbox/box_reader.h"
#include "frames/left_threads.h"
#include "profiler.h"
#include "temporary_directory.h"

// CPython keeps much until the process ends. Of its own locks TSan sees what goes through libpthread.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() { return "detect_leaks=0"; }
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1"; }

namespace memprof {
namespace {

constexpr const char* kScene = "/jobs/scene.py";
constexpr uint64_t kInterval = 64 << 10;

class PythonHooks : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    ASSERT_FALSE(PyStatus_Exception(PyConfig_SetBytesString(&config, &config.program_name, MEMPROF_TEST_PYTHON)));  // where its library is
    const PyStatus status = Py_InitializeFromConfig(&config);
    ASSERT_FALSE(PyStatus_Exception(status)) << status.err_msg;
    PyConfig_Clear(&config);
    InstallArenaHooks();
  }

  void SetUp() override {
    globals_ = PyDict_New();
    PyDict_SetItemString(globals_, "__builtins__", PyEval_GetBuiltins());
    const Status started = StartProfiler(directory_.path().c_str(), "app", "7", kInterval, false);
    ASSERT_TRUE(started.ok()) << started.message();
    ForgetShadow();
    Open(1);
  }
  void TearDown() override {
    StopProfiler();
    Py_DECREF(globals_);
  }

  // A sanitizer's own memory is of terabytes: to look up its pages as the interpreter's, at each measuring of rows, takes a minute.
  static void ForgetShadow() {
    const ReentryGuard guard(hook_thread);
    hook_state.regions.RemoveAll(RegionKind::kBefore);
  }

  static void Open(int64_t task) {
    OpenTaskSession();
    SetSessionTask({task, 0, 0, 0, 0});
  }

  // Runs the text, whose first line is 1.
  void Run(const char* text) {
    PyObject* code = Py_CompileString(text, kScene, Py_file_input);
    PyObject* result = code == nullptr ? nullptr : PyEval_EvalCode(code, globals_, globals_);
    if (result == nullptr) PyErr_Print();
    EXPECT_NE(result, nullptr);
    Py_XDECREF(code);
    Py_XDECREF(result);
  }

  PyObject* CodeOf(const char* function) { return PyFunction_GetCode(PyDict_GetItemString(globals_, function)); }

  // The last session of a task; -1: the process-level one.
  static BoxSession Read(int64_t task) {
    Result<BoxReader> box = BoxReader::Open(BoxPath());
    EXPECT_TRUE(box.ok()) << box.status().message();
    uint64_t number = 0;
    for (const BoxReader::SessionKey& key : box->Sessions()) {
      if (key.task_attempt_id == task) number = key.number;
    }
    Result<BoxSession> session = box->ReadSession(number);
    EXPECT_TRUE(session.ok()) << session.status().message();
    return session.ok() ? *session : BoxSession();
  }

  static std::vector<const BoxFrame*> PythonFrames(const BoxSession& session, const BoxSite& site) {
    std::vector<const BoxFrame*> frames;
    for (uint32_t at = site.stack; at != 0; at = session.stacks[at - 1].parent) {
      const BoxFrame& frame = session.frames[session.stacks[at - 1].frame];
      if (frame.language == Language::kPython) frames.insert(frames.begin(), &frame);
    }
    return frames;
  }

  // Of sites whose innermost Python frame is that function.
  struct Sums {
    uint64_t allocated = 0, allocations = 0, live = 0;
    uint32_t line = 0;
    std::string caller;
  };
  static Sums SumsOf(const BoxSession& session, const std::string& function) {
    Sums sums;
    for (const BoxSite& site : session.sites) {
      const std::vector<const BoxFrame*> frames = PythonFrames(session, site);
      if (frames.empty() || frames.back()->function != function) continue;
      sums.allocated += site.allocated_bytes;
      sums.allocations += site.allocations;
      sums.live += site.live_bytes;
      sums.line = frames.back()->line;
      sums.caller = frames.size() < 2 ? "" : frames[frames.size() - 2]->function;
    }
    return sums;
  }

  TemporaryDirectory directory_;
  PyObject* globals_ = nullptr;
};

TEST_F(PythonHooks, BlocksAreOnTheirLine) {
  Run(R"(def take(size):
    return bytes(size)
def outer():
    kept.append(take(1_999_960))
    take(2_999_966)
kept = []
outer()
)");
  CloseTaskSession();
  const Sums sums = SumsOf(Read(1), "take");
  EXPECT_EQ(sums.allocated, 1'999'993u + 2'999'999u);
  EXPECT_EQ(sums.allocations, 2u);
  EXPECT_EQ(sums.live, 1'999'993u);
  EXPECT_EQ(sums.line, 2u);
  EXPECT_EQ(sums.caller, "outer");
}

TEST_F(PythonHooks, ManyThreadsAllocateResizeAndMapAtOnce) {
  Run(R"(import mmap, threading
def take(size):
    return bytes(size)
def grow():
    text = bytearray()
    for _ in range(300):
        text += b'x' * 4_099
    return len(text)
def work(number):
    for step in range(60):
        large = take(499_967 + number)
        small = [str(value) * 3 for value in range(2_000)]
        with mmap.mmap(-1, 1 << 20) as mapping:
            mapping.write(b'y' * 5_000)
            mapping.resize(1 << 21)
        grow()
        del large, small
        import array, zlib, struct, decimal
threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
)");
  CloseTaskSession();
  const BoxSession session = Read(1);
  EXPECT_TRUE(session.checksum_ok);
  EXPECT_EQ(session.skipped_records, 0u);
  const Sums sums = SumsOf(session, "take");
  EXPECT_EQ(sums.allocated, 60u * (4 * 500'000 + 6));
  EXPECT_EQ(sums.allocations, 240u);
  EXPECT_EQ(sums.live, 0u);
  uint64_t allocated = 0;
  for (const BoxSite& site : session.sites) allocated += site.allocated_bytes;
  EXPECT_EQ(allocated, session.allocated_bytes);
}

TEST_F(PythonHooks, SessionsOpenAndCloseWhileThreadsAllocate) {
  Run(R"(import threading
def work():
    while not over.is_set():
        bytearray(300_001)
        [object() for _ in range(500)]
over = threading.Event()
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
def serve():
    sum(len(bytearray(400_001)) for _ in range(5))
)");
  for (int64_t task = 2; task < 30; ++task) {
    Open(task);
    PyObject* code = CodeOf("serve");
    NameSessionCode(code, "named_" + std::to_string(task));
    AddSessionUdf("serve", kScene, 10, "RDD", false);
    Run("serve()");
    CloseTaskSession();
    const BoxSession session = Read(task);
    EXPECT_TRUE(session.closed);
    EXPECT_TRUE(session.checksum_ok) << task;
  }
  Run("over.set()\nfor thread in threads: thread.join()");
}

TEST_F(PythonHooks, AThreadThatATaskHasLeftIsOfNoLaterTask) {
  Run(R"(import concurrent.futures, threading
def take(size):
    return bytes(size)
def lingers():
    ready.set()
    go.wait()
    kept.append(take(1_999_960))
    done.set()
ready, go, done, kept = threading.Event(), threading.Event(), threading.Event(), []
thread = threading.Thread(target=lingers)
thread.start()
ready.wait()
pool = concurrent.futures.ThreadPoolExecutor(1)
pool.submit(int).result()
)");
  Open(2);
  Run("go.set(); done.wait(); thread.join()\npool.submit(take, 2_999_966).result()\npool.shutdown()");
  CloseTaskSession();
  const BoxSession second = Read(2);
  EXPECT_EQ(SumsOf(second, "take").allocated, 2'999'999u) << "a pool works for the task";
  EXPECT_EQ(SumsOf(Read(-1), "take").live, 1'999'993u);
  const auto counter = std::find_if(second.counters.begin(), second.counters.end(),
                                    [](const BoxCounter& each) { return each.name == "noTaskPythonBytes: lingers"; });
  ASSERT_NE(counter, second.counters.end());
  EXPECT_GE(counter->value, 1'999'993u);
}

TEST_F(PythonHooks, AForkIsInertUntilItStartsItself) {
  Run(R"(import os
def take(size):
    return bytes(size)
child = os.fork()
if child == 0:
    kept = [take(1_999_960) for _ in range(3)]
    os._exit(len(kept))
status = os.waitpid(child, 0)[1]
assert os.WEXITSTATUS(status) == 3, status
take(2_999_966)
)");
  CloseTaskSession();
  EXPECT_EQ(SumsOf(Read(1), "take").allocated, 2'999'999u);
}

TEST_F(PythonHooks, TheyComeAndGoWhileThreadsAllocate) {
  Run(R"(import threading
def work():
    while not over.is_set():
        kept = [bytearray(size) for size in (100_003, 200_003, 17, 300)]
over = threading.Event()
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
)");
  for (int round = 0; round < 6; ++round) {
    StopProfiler();
    ASSERT_TRUE(StartProfiler(directory_.path().c_str(), "app", "7", kInterval, false).ok());
    ForgetShadow();
    Open(round);
    Run("work_done = [bytearray(100_003) for _ in range(20)]");
  }
  Run("over.set()\nfor thread in threads: thread.join()");
}

}  // namespace
}  // namespace memprof
