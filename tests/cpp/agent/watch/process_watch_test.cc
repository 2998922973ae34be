#include "watch/process_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "core/system/file_tree.h"
#include "watch/describe_process.h"
#include "watch/news.h"

namespace memprof {
namespace {

constexpr uint64_t kKb = 1024;

// A /proc of our own.
class Machine {
 public:
  ProcFiles proc() const { return ProcFiles(tree_.root()); }

  void Put(int pid, int parent, const std::string& command_line, uint64_t rss_kb, uint64_t peak_kb = 0, int start = 100) {
    const std::string folder = std::to_string(pid);
    std::string zeros = command_line;
    for (char& c : zeros) c = c == ' ' ? '\0' : c;
    tree_.Write(folder + "/cmdline", zeros + '\0');
    const std::string file = command_line.substr(0, command_line.find(' '));
    tree_.Write(folder + "/comm", file.substr(file.rfind('/') + 1) + "\n");
    tree_.Write(folder + "/stat",
                folder + " (x) S " + std::to_string(parent) + " 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 " + std::to_string(start) + " 1 2\n");
    tree_.Write(folder + "/statm", "9 " + std::to_string(rss_kb * kKb / static_cast<uint64_t>(sysconf(_SC_PAGESIZE))) + " 1\n");
    const auto line = [](const char* key, uint64_t kb) { return std::string(key) + ":\t" + std::to_string(kb) + " kB\n"; };
    tree_.Write(folder + "/status", "PPid:\t" + std::to_string(parent) + "\n" + line("VmHWM", std::max(rss_kb, peak_kb)) +
                                        line("VmRSS", rss_kb) + line("RssAnon", rss_kb - 8) + line("RssFile", 8) + line("RssShmem", 0));
  }
  void Unreadable(int pid) { tree_.Write(std::to_string(pid) + "/status", "Groups:\t1 2\n"); }
  // Whatever its command line says.
  void Runs(int pid, const std::string& file) { std::filesystem::create_symlink(file, tree_.Path(std::to_string(pid)) + "/exe"); }
  void Ends(int pid) { std::filesystem::remove(tree_.Path(std::to_string(pid)) + "/exe"); }
  void Exiting(int pid) { tree_.Write(std::to_string(pid) + "/cmdline", ""); }
  void Children(int pid, const std::string& children) {
    tree_.Write(std::to_string(pid) + "/task/" + std::to_string(pid) + "/children", children);
  }
  // Executor 10, its daemon 21, and a worker 22 of 50,012 KB.
  void PutWorker() {
    Put(10, 1, "java Executor", 400'000);
    Put(21, 10, "python3 -m pyspark.daemon", 30'000);
    Put(22, 21, "python3 -m pyspark.daemon", 50'012);
    Children(10, "21");
    Children(21, "22");
    Children(22, "");
  }
  void Remove(int pid) { std::filesystem::remove_all(tree_.Path(std::to_string(pid))); }

 private:
  FileTree tree_;
};

std::map<int, ProcessKind> Kinds(const ProcessWatch& watch) {
  std::map<int, ProcessKind> kinds;
  for (const auto& [pid, process] : watch.living()) kinds[pid] = process.kind;
  return kinds;
}

TEST(ProcessKind, ByCommandLineAndParent) {
  using enum ProcessKind;
  const std::vector<std::string> daemon = {"/usr/bin/python3.11", "-m", "sparkmemprof.daemon", "pyspark.worker"};
  EXPECT_EQ(KindOf(daemon, kJvm), kPythonDaemon);
  EXPECT_EQ(KindOf(daemon, kPythonDaemon), kPythonWorker);  // a fork keeps its parent's command line
  EXPECT_EQ(KindOf({"python3", "-u", "-m", "pyspark.worker"}, kJvm), kPythonWorker);
  EXPECT_EQ(KindOf({"python3", "job.py", "-m", "x"}, kJvm), kPythonDriver);
  EXPECT_EQ(KindOf({"/usr/lib/jvm/bin/java", "-cp", "x"}, kJvm), kJvm);
  EXPECT_EQ(KindOf({"python3", "./env.pex", "-m", "pyspark.daemon"}, kJvm), kPythonDaemon);
  EXPECT_EQ(KindOf({"python3", "-X", "dev", "-m", "sparkmemprof.daemon"}, kJvm), kPythonDaemon);
  EXPECT_EQ(KindOf({"python3", "/opt/conda", "run", "python", "-m", "pyspark.daemon"}, kJvm), kPythonDriver) << "its child is";
  EXPECT_EQ(KindOf({"python3", "job.py", "-m", "my.worker"}, kJvm), kPythonDriver);
  EXPECT_EQ(KindOf({"python3", "-m"}, kJvm), kPythonDriver);
  EXPECT_EQ(KindOf({"bash", "-c", "python3"}, kJvm), kProgram);
  EXPECT_EQ(KindOf({}, kJvm), kProgram);
  EXPECT_TRUE(IsExecutorJvm({"java", "org.apache.spark.executor.CoarseGrainedExecutorBackend", "--driver-url"}));
  EXPECT_FALSE(IsExecutorJvm({"java", "org.apache.spark.deploy.worker.Worker"}));
}

TEST(ProcessWatch, FindsProgramsThatAreLargerThanAWrapper) {
  Machine machine;
  machine.PutWorker();
  machine.Put(23, 22, "/usr/bin/ffmpeg -i in.mp4", 90'000);
  machine.Put(24, 22, "bash filter.sh", 3'000);
  machine.Put(25, 24, "sort", 70'000);
  machine.Put(26, 10, "python3 filter.py", 20'000);
  machine.Children(10, "21 26");
  machine.Children(22, "23 24");
  machine.Children(24, "25");
  for (const int leaf : {23, 25, 26}) machine.Children(leaf, "");
  ProcessWatch watch(machine.proc(), 10, false);
  watch.Discover();
  using enum ProcessKind;
  EXPECT_EQ(Kinds(watch), (std::map<int, ProcessKind>{
                              {10, kJvm}, {21, kPythonDaemon}, {22, kPythonWorker}, {23, kProgram}, {25, kProgram}, {26, kProgram}}));
  EXPECT_EQ(watch.living().at(23).name, "ffmpeg");
  EXPECT_EQ(watch.living().at(26).name, "python3");
  EXPECT_EQ(watch.living().at(25).owner, (ProcessName{22, 100})) << "the shell is nobody";
  EXPECT_EQ(watch.living().at(26).owner.pid, 0) << "the JVM has started it";
  watch.Tick();
  EXPECT_EQ(watch.living().at(23).peak_bytes, 90'000 * kKb);

  ProcessWatch without_names(machine.proc(), 10, false, false);
  without_names.Discover();
  EXPECT_EQ(without_names.living().at(23).name, "");
}

TEST(ProcessWatch, AChildIsAWorkerUntilItRunsAnotherProgram) {
  Machine machine;
  machine.PutWorker();
  machine.Put(23, 22, "python3 -m pyspark.daemon", 50'012);  // forked
  machine.Children(22, "23");
  machine.Children(23, "");
  ProcessWatch watch(machine.proc(), 10, false);
  watch.Discover();
  EXPECT_EQ(Kinds(watch)[23], ProcessKind::kPythonWorker);
  watch.Tick();
  machine.Put(23, 22, "cat", 1'000);
  machine.Runs(23, "/usr/bin/cat");
  watch.Discover();
  EXPECT_EQ(watch.living().at(23).peak_bytes, 0u) << "it has new memory";
  watch.Tick();
  EXPECT_EQ(watch.living().at(23).peak_bytes, 1'000 * kKb);
  EXPECT_EQ(Kinds(watch)[23], ProcessKind::kProgram) << "however small it is now";
  EXPECT_EQ(watch.living().at(23).name, "cat");
}

TEST(ProcessWatch, AWorkerMayHaveATitleOfItsOwn) {
  Machine machine;
  machine.PutWorker();
  ProcessWatch watch(machine.proc(), 10, false);
  watch.Discover();
  machine.Put(22, 21, "etl: row 17", 50'012);
  machine.Runs(22, "/usr/bin/python3.11");
  watch.Discover();
  EXPECT_EQ(Kinds(watch)[22], ProcessKind::kPythonWorker);
  machine.Ends(22);
  watch.Discover();
  EXPECT_EQ(Kinds(watch)[22], ProcessKind::kPythonWorker) << "what it runs can't be read any more";
}

// A program for every row of a task: their peaks are larger than the worker's.
TEST(ProcessWatch, DeadProgramsDontCrowdOutWorkers) {
  Machine machine;
  machine.PutWorker();
  machine.Put(23, 22, "/usr/bin/ffmpeg", 1);
  machine.Children(22, "23");
  ProcessWatch watch(machine.proc(), 10, false);
  watch.Discover();
  watch.Tick();
  machine.Remove(22);
  machine.Children(21, "23");  // the daemon's now: who owns it doesn't matter
  for (int start = 200; start < 300; ++start) {
    machine.Put(23, 21, "/usr/bin/ffmpeg", 90'000, 0, start);
    watch.Discover();
    watch.Tick();
  }
  const auto count = [&](ProcessKind kind) {
    return std::count_if(watch.dead().begin(), watch.dead().end(), [kind](const auto& dead) { return dead.kind == kind; });
  };
  EXPECT_EQ(count(ProcessKind::kProgram), static_cast<ptrdiff_t>(ProcessWatch::kMaxDeadPrograms));
  EXPECT_EQ(count(ProcessKind::kPythonWorker), 1);
}

TEST(ProcessWatch, FindsPythonThroughWrappersAndLeavesOtherJvmsAlone) {
  Machine machine;
  machine.Put(10, 1, "java Executor", 400'000);
  machine.Put(20, 10, "bash wrapper.sh", 2'000);
  machine.Put(21, 20, "python3 -m pyspark.daemon", 30'000);
  machine.Put(22, 21, "python3 -m pyspark.daemon", 50'000);
  machine.Put(30, 10, "java Executor", 500'000);
  machine.Put(31, 30, "python3 -m pyspark.daemon", 30'000);
  machine.Put(40, 10, "python3 job.py", 30'000);
  machine.Children(10, "20 30 40 ");
  machine.Children(20, "21 ");
  machine.Children(21, "22 ");
  machine.Children(22, "");
  machine.Children(30, "31 ");
  machine.Children(40, "");
  using enum ProcessKind;
  ProcessWatch executor(machine.proc(), 10, false);
  executor.Discover();
  EXPECT_EQ(Kinds(executor), (std::map<int, ProcessKind>{{10, kJvm}, {21, kPythonDaemon}, {22, kPythonWorker}, {40, kProgram}}));
  ProcessWatch driver(machine.proc(), 10, true);
  driver.Discover();
  EXPECT_EQ(Kinds(driver)[40], kPythonDriver);
}

// A fork of a program has its words.
TEST(ProcessWatch, WhatTheDriversPythonForksIsItsChild) {
  Machine machine;
  machine.Put(10, 1, "java SparkSubmit job.py", 400'000);
  machine.Put(40, 10, "python3 job.py", 30'000);
  machine.Put(41, 40, "python3 job.py", 30'000);
  machine.Put(42, 41, "python3 job.py", 30'000);
  machine.Children(10, "40 ");
  machine.Children(40, "41 ");
  machine.Children(41, "42 ");
  machine.Children(42, "");
  ProcessWatch watch(machine.proc(), 10, true);
  watch.Discover();
  EXPECT_EQ(watch.living().at(40).owner.pid, 0);
  EXPECT_EQ(watch.living().at(41).owner.pid, 40);
  EXPECT_EQ(watch.living().at(42).owner.pid, 40);
}

TEST(ProcessWatch, ChildrenOfAnExitingJvmAreNotOurs) {
  Machine machine;
  machine.PutWorker();
  machine.Put(9, 1, "java Driver", 300'000);
  machine.Children(9, "10");
  ProcessWatch watch(machine.proc(), 9, false);
  machine.Exiting(10);
  watch.Discover();
  EXPECT_THAT(Kinds(watch), testing::ElementsAre(testing::Pair(9, ProcessKind::kJvm)));
}

TEST(ProcessWatch, InLocalModeTheParentIsTheDriver) {
  Machine machine;
  machine.Put(5, 1, "python3 job.py", 80'000);
  machine.Put(10, 5, "java SparkSubmit pyspark-shell", 400'000);
  machine.Children(10, "");
  ProcessWatch watch(machine.proc(), 10, true);
  watch.Discover();
  EXPECT_EQ(Kinds(watch)[5], ProcessKind::kPythonDriver);
}

TEST(ProcessWatch, TheKernelOfANotebookIsTheDriver) {
  Machine machine;
  machine.Put(5, 1, "python3 -m ipykernel_launcher -f kernel.json", 80'000);
  machine.Put(10, 5, "java SparkSubmit --name notebook pyspark-shell", 400'000);
  machine.Children(10, "");
  ProcessWatch watch(machine.proc(), 10, true);
  watch.Discover();
  EXPECT_EQ(Kinds(watch)[5], ProcessKind::kPythonDriver);
}

TEST(ProcessWatch, WhatOnlyWaitsForSparkSubmitIsNoDriver) {
  const std::vector<std::string> jvm = {"java", "org.apache.spark.deploy.SparkSubmit", "job.py"};
  EXPECT_FALSE(IsPythonWithGateway({"/usr/bin/python3", "/opt/bin/sparkmemprof", "submit", "job.py"}, jvm));
  EXPECT_FALSE(IsPythonWithGateway({"python3", "-m", "sparkmemprof.cli.main", "submit", "job.py"}, jvm));
  Machine machine;
  machine.Put(5, 1, "python3 scheduler.py", 80'000);
  machine.Put(10, 5, "java SparkSubmit job.py", 400'000);
  machine.Put(20, 10, "python3 job.py", 30'000);
  machine.Children(10, "20 ");
  machine.Children(20, "");
  using enum ProcessKind;
  ProcessWatch watch(machine.proc(), 10, true);
  watch.Discover();
  EXPECT_EQ(Kinds(watch), (std::map<int, ProcessKind>{{10, kJvm}, {20, kPythonDriver}}));
}

TEST(ProcessWatch, ThePeakKeepsTheRowsOfItsReading) {
  Machine machine;
  machine.Put(10, 1, "java Executor", 100'000);
  machine.Children(10, "");
  ProcessWatch watch(machine.proc(), 10, false);
  watch.Discover();
  watch.Tick();
  machine.Put(10, 1, "java Executor", 300'000);
  watch.Tick();
  machine.Put(10, 1, "java Executor", 200'000, 300'000);
  watch.Tick();
  const WatchedProcess& jvm = watch.living().at(10);
  EXPECT_EQ(jvm.rss_bytes, 200'000 * kKb);
  EXPECT_EQ(jvm.peak_bytes, 300'000 * kKb);
  EXPECT_EQ(jvm.peak_anon_bytes, 299'992 * kKb);
  EXPECT_EQ(jvm.unattributed_bytes(), 0);

  machine.Put(10, 1, "java Executor", 200'000, 350'000);  // a peak that no tick has seen
  watch.Tick(ProcessWatch::Peaks::kKernels);
  EXPECT_EQ(jvm.peak_bytes, 350'000 * kKb);
  EXPECT_EQ(jvm.unattributed_bytes(), static_cast<int64_t>(50'000 * kKb));
}

// A notebook's second SparkContext: the JVM and the kernel had other work before.
TEST(ProcessWatch, WhatTheJvmHeldBeforeItWasWatchedIsNoPeak) {
  Machine machine;
  machine.Put(10, 1, "java Executor", 600'000, 3'000'000);
  ProcessWatch watch(machine.proc(), 10, false);
  const WatchedProcess& jvm = watch.living().at(10);
  for (int i = 0; i < 3; ++i) watch.Tick(ProcessWatch::Peaks::kKernels);
  EXPECT_EQ(jvm.peak_bytes, 600'000 * kKb);
  machine.Put(10, 1, "java Executor", 500'000, 3'100'000);
  watch.Tick(ProcessWatch::Peaks::kKernels);
  EXPECT_EQ(jvm.peak_bytes, 3'100'000 * kKb);
}

TEST(ProcessWatch, AKernelsPeakFromBeforeTheFirstReadingLeavesItsRows) {
  Machine machine;
  machine.Put(10, 1, "java Executor", 400'000);
  machine.Put(21, 10, "python3 -m pyspark.daemon", 30'000, 170'000);
  machine.Children(10, "21 ");
  machine.Children(21, "");
  ProcessWatch watch(machine.proc(), 10, false);
  watch.Discover();
  const auto tick = [&] {
    watch.Tick(ProcessWatch::Peaks::kKernels);
    return watch.living().at(21);
  };
  EXPECT_EQ(tick().peak_bytes, 30'000 * kKb);
  EXPECT_EQ(tick().peak_bytes, 170'000 * kKb);
  EXPECT_EQ(tick().peak_anon_bytes, 29'992 * kKb);
  machine.Put(21, 10, "python3 -m pyspark.daemon", 300'000, 320'000);
  const WatchedProcess grown = tick();
  EXPECT_EQ(grown.rss_bytes, 300'000 * kKb);
  EXPECT_EQ(grown.peak_bytes, 320'000 * kKb);
  EXPECT_EQ(grown.peak_anon_bytes, 299'992 * kKb) << "of the same reading";
  EXPECT_EQ(grown.unattributed_bytes(), static_cast<int64_t>(20'000 * kKb));
}

TEST(ProcessWatch, AStatusThatCannotBeReadIsNoDeath) {
  Machine machine;
  machine.PutWorker();
  ProcessWatch watch(machine.proc(), 10, false);
  watch.Discover();
  watch.Tick(ProcessWatch::Peaks::kKernels);
  machine.Unreadable(22);
  watch.Tick(ProcessWatch::Peaks::kKernels);
  EXPECT_TRUE(watch.TakeGone().empty());
  EXPECT_EQ(watch.living().at(22).rss_bytes, 50'012 * kKb);
}

TEST(ProcessWatch, NewWorkersAreSeenAtTheNextTickAndTheDeadAreKept) {
  Machine machine;
  machine.Put(10, 1, "java Executor", 100'000);
  machine.Put(21, 10, "python3 -m pyspark.daemon", 30'000);
  machine.Children(10, "21 ");
  machine.Children(21, "");
  ProcessWatch watch(machine.proc(), 10, false);
  watch.Discover();
  machine.Put(22, 21, "python3 -m pyspark.daemon", 70'000);
  machine.Children(21, "22 ");
  machine.Children(22, "");
  watch.Tick();
  watch.SetLastTask({22, watch.living().at(22).start_ticks}, 17);
  EXPECT_EQ(watch.living().at(22).kind, ProcessKind::kPythonWorker);

  machine.Remove(22);
  machine.Children(21, "");
  watch.Tick();
  ASSERT_EQ(watch.dead().size(), 1u);
  EXPECT_FALSE(watch.dead()[0].alive);
  EXPECT_EQ(watch.dead()[0].peak_bytes, 70'000 * kKb);
  EXPECT_EQ(watch.dead()[0].last_task_attempt_id, 17);

  machine.Put(22, 21, "python3 -m pyspark.daemon", 40'000, 0, 999);  // the pid again, another process
  machine.Children(21, "22 ");
  watch.Tick();
  EXPECT_EQ(watch.living().at(22).peak_bytes, 40'000 * kKb);

  watch.SetLastTask({22, watch.dead()[0].start_ticks}, 18);  // read late from the old worker's box
  EXPECT_FALSE(watch.living().at(22).last_task_attempt_id);
  proto::Process old, now;
  Describe(watch.dead()[0], false, &old);
  Describe(watch.living().at(22), false, &now);
  EXPECT_EQ(old.pid(), now.pid());
  EXPECT_NE(old.start_ticks(), now.start_ticks());
}

class ProcessWatchTicks : public testing::TestWithParam<ProcessWatch::Peaks> {};

INSTANTIATE_TEST_SUITE_P(Both, ProcessWatchTicks, testing::Values(ProcessWatch::Peaks::kSeen, ProcessWatch::Peaks::kKernels));

TEST_P(ProcessWatchTicks, TellsOnceWhoIsGoneAndWhatItHeldBefore) {
  Machine machine;
  machine.PutWorker();
  ProcessWatch watch(machine.proc(), 10, false);
  watch.Discover();
  watch.Tick(GetParam());
  EXPECT_TRUE(watch.TakeGone().empty());
  machine.Remove(22);
  machine.Children(21, "");
  watch.Tick(GetParam());
  const std::vector<WatchedProcess> gone = watch.TakeGone();
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone[0].pid, 22);
  EXPECT_EQ(gone[0].kind, ProcessKind::kPythonWorker);
  EXPECT_EQ(gone[0].rss_bytes, 50'012 * kKb);
  EXPECT_TRUE(watch.TakeGone().empty());
}

TEST(ProcessWatch, WhatItsBoxSaysHasEndedIsToldOnceAndOnlyIfNoTickHasSeenIt) {
  Machine machine;
  machine.PutWorker();
  ProcessWatch watch(machine.proc(), 10, false);
  watch.Discover();
  watch.Tick();
  watch.SetEnded({{22, 100}});
  EXPECT_TRUE(watch.TakeGone().empty()) << "the next tick finds that it is gone";
  machine.Put(30, 21, "daemonized", 5'000);
  watch.SetEnded({{30, 100}});
  EXPECT_TRUE(watch.TakeGone().empty()) << "it has lost its box's lock, and lives";
  machine.Remove(22);
  machine.Children(21, "");
  watch.Tick();
  EXPECT_EQ(watch.TakeGone().size(), 1u);
  watch.SetEnded({{22, 100}});
  EXPECT_TRUE(watch.TakeGone().empty()) << "it was told";

  watch.SetEnded({{22, 101}});  // another process, of the same pid
  watch.SetEnded({{23, 100}});
  watch.SetEnded({{23, 100}});
  const std::vector<WatchedProcess> unseen = watch.TakeGone();
  ASSERT_EQ(unseen.size(), 2u);
  EXPECT_EQ(unseen[0].start_ticks, 101u);
  EXPECT_TRUE(unseen[0].end.has_value());
  EXPECT_EQ(unseen[1].pid, 23);
  EXPECT_EQ(unseen[1].kind, ProcessKind::kPythonWorker);
  EXPECT_EQ(unseen[1].peak_bytes, 0u);
  EXPECT_EQ(watch.dead().size(), 1u) << "nothing is known of its memory";

  machine.Put(24, 21, "python3 -m pyspark.daemon", 0);  // found as a zombie
  machine.Children(21, "24");
  machine.Children(24, "");
  watch.Discover();
  watch.SetEnded({{24, 100}});
  EXPECT_EQ(watch.TakeGone().size(), 1u) << "no tick has read it";
  RssRows rows;
  rows.rss_bytes = 50'000 * kKb;
  watch.SetRss({{24, 100}, rows});
  watch.Tick();
  EXPECT_TRUE(watch.TakeGone().empty());
}

TEST(News, AnEndIsPassedOnALittleLaterOrWithTheLastLook) {
  const Machine machine;
  ProcessWatch watch(machine.proc(), 10, false);
  News news;
  const auto later = std::chrono::steady_clock::now() + std::chrono::hours(1);  // however long this test is held up
  EndedProcess process{{22, 100}, false, later};
  news.SetEnded(process);
  news.TakeTo(&watch);
  EXPECT_TRUE(watch.TakeGone().empty()) << "the ticks tell first of those that they have seen";
  process.name.pid = 23;
  process.seen = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  news.SetEnded(process);
  news.TakeTo(&watch);
  EXPECT_EQ(watch.TakeGone().size(), 1u);
  process.name.pid = 24;
  process.seen = later;
  news.SetEnded(process);
  news.HoldNothingBack();
  news.TakeTo(&watch);
  EXPECT_EQ(watch.TakeGone().size(), 2u);
}

TEST(ProcessWatch, AWorkersOwnRowsAreKeptWhetherItLivesOrNot) {
  Machine machine;
  machine.PutWorker();
  machine.Put(23, 21, "python3 -m pyspark.daemon", 60'012);
  machine.Children(21, "22 23");
  machine.Children(23, "");
  ProcessWatch watch(machine.proc(), 10, false);
  watch.Discover();
  watch.Tick();
  RssRows rows;
  rows.rss_bytes = 50'000 * kKb;
  rows.rows = {{"Python objects", 30'000'017}};
  EXPECT_FALSE(watch.SetRss({{22, 999}, rows}));  // of an earlier process with this pid
  EXPECT_FALSE(watch.living().at(22).rows.has_value());
  EXPECT_TRUE(watch.SetRss({{22, 100}, rows}));
  ASSERT_TRUE(watch.living().at(22).rows.has_value());
  EXPECT_EQ(watch.living().at(22).rows->rows[0].bytes, 30'000'017u);
  EXPECT_EQ(watch.living().at(22).peak_bytes, 50'012 * kKb);

  ProcessBaseline baseline{{22, 100}, {}};
  baseline.baseline = {.start_rss_bytes = 44'000'003, .first_task_rss_bytes = 61'000'007, .as_of_session = 2};
  watch.SetBaseline(baseline);
  baseline.baseline = {.start_rss_bytes = 44'000'003, .as_of_session = 5, .modules = {{"odd", 7003, 7003}}};
  watch.SetBaseline(baseline);
  baseline.baseline = {.start_rss_bytes = 44'000'003, .as_of_session = 4};
  watch.SetBaseline(baseline);
  EXPECT_EQ(watch.living().at(22).baseline->first_task_rss_bytes, 61'000'007u) << "the first alone has it";
  EXPECT_EQ(watch.living().at(22).baseline->modules.size(), 1u) << "the latest session's";
  EXPECT_FALSE(watch.living().at(23).baseline.has_value());

  machine.Remove(23);
  machine.Children(21, "22");
  watch.Tick();
  rows.rss_bytes = 70'001 * kKb;  // which no tick had seen
  watch.SetRss({{23, 100}, rows});
  ASSERT_EQ(watch.dead().size(), 1u);
  EXPECT_TRUE(watch.dead()[0].rows.has_value());
  EXPECT_EQ(watch.dead()[0].peak_bytes, 70'001 * kKb);
}

}  // namespace
}  // namespace memprof
