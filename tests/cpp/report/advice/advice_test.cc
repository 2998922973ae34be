// Each rule: when it fires, with which numbers, and when it must not.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advice/figures.h"
#include "report/advice/scene.h"

namespace memprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const ReportFrame kSerializer{Language::kPython, "load_stream", "/site-packages/pyspark/sql/pandas/serializers.py", "", 340, "", {}};
const ReportFrame kBatchOfJvm{
    Language::kJava, "org.apache.spark.sql.execution.python.BatchedPythonArrowInput$.writeSizedBatch", "", "", 340, "", {}};
const ReportFrame kUser{Language::kPython, "f", "job.py", "", 7, "", {}};

TEST(MemoryOverhead, IsWhatPythonAndTheJvmTakeBesideTheHeap) {
  Scene scene(4, 480 * kMi);
  scene.input.peer_bytes = {470 * kMi};
  std::optional<ReportAdvice> advice = AdviseMemoryOverhead(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf + " " + advice->from, "spark.executor.memoryOverhead 384m");
  EXPECT_EQ(advice->to, "2321m");  // (4 × 480 + (700 - 510)) × 1.1
  EXPECT_EQ(advice->because, "Python workers together held 1.9 GiB (4 at once) + JVM native 190.0 MiB + 10 %");
}

// They may have been killed in the midst of growing.
TEST(MemoryOverhead, WhatIsWantedIsKnownOfNoTaskBeforeOneHasEnded) {
  Scene scene(4, 480 * kMi);
  const char* still =
      "; how much more they wanted is not known, for no task of their stage has ended that was measured: if it dies again, ";
  EXPECT_THAT(AdviseMemoryOverhead(scene.Input())->because, EndsWith(std::string(still) + "give twice that"));
  EXPECT_THAT(AdviseExecutorCores(scene.Input())->because, HasSubstr(std::string(still) + "halve the number"));
  scene.input.peer_bytes = {1};
  EXPECT_THAT(AdviseMemoryOverhead(scene.Input())->because, Not(HasSubstr("how much more")));
  EXPECT_THAT(AdviseExecutorCores(scene.Input())->because, Not(HasSubstr("how much more")));
  scene.input.peer_bytes.clear();
  scene.input.tasks_at_once = 0;
  EXPECT_THAT(AdviseMemoryOverhead(scene.Input())->because, Not(HasSubstr("how much more"))) << "they waited";
}

TEST(MemoryOverhead, WhatWasReservedForTheJvmAndNotUsedMakesNoRoom) {
  Scene scene(4, 480 * kMi);
  scene.executor.regions[2].budget_bytes = 600 * kMi;  // off-heap, of which nothing is in use
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "2321m");
  scene.input.last->regions.push_back({"offHeap", 90 * kMi});
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "2222m");  // (4 × 480 + (700 - 510 - 90)) × 1.1
  scene.input.spark_off_heap = 40 * kMi;                        // the other 50 are direct buffers, which the overhead is for
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "2277m");  // (4 × 480 + (700 - 510 - 40)) × 1.1
  scene.input.spark_off_heap.reset();
  ReportProcess& jvm = scene.executor.processes.emplace_back();
  jvm.kind = "jvm";
  jvm.rows = {{"Java heap", 310 * kMi}};                        // of 510 MiB committed
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "2442m");  // (4 × 480 + (700 - 310 - 90)) × 1.1
}

TEST(MemoryOverhead, FilesInMemoryAreInIt) {
  Scene scene(4, 100 * kMi);
  scene.input.peer_bytes = {1};
  scene.input.last->unattributed_bytes = 900 * kMi;
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "649m") << "who has the rest is not known";
  scene.executor.limit_source = "cgroup";
  const std::optional<ReportAdvice> advice = AdviseMemoryOverhead(scene.Input());
  EXPECT_EQ(advice->to, "1639m");  // (4 × 100 + (700 - 510) + 900) × 1.1
  EXPECT_THAT(advice->because, EndsWith("+ JVM native 190.0 MiB + 900.0 MiB of no process that is measured (files in tmpfs, the kernel's, "
                                        "others) + 10 %"));
  scene.executor.limit_shared = true;
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "649m");
  scene.executor.limit_shared = false;
  for (const int64_t rest : {int64_t{102} << 20, -(int64_t{300} << 20)}) {
    scene.input.last->unattributed_bytes = rest;
    EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "649m") << "below a twentieth of the limit";
  }
}

// YARN rounds requests up: one that is a little larger than what was requested may be granted no more.
TEST(MemoryOverhead, IsMoreThanWhatIsGrantedAlready) {
  Scene scene(1, 200 * kMi);
  scene.input.peer_bytes = {1};
  scene.executor.limit_source = "spark";
  scene.executor.requested_bytes = scene.executor.limit_bytes = 1408 * kMi;
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "429m");  // (200 + 190) × 1.1
  scene.executor.limit_bytes = 2048 * kMi;
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "1025m");
  EXPECT_THAT(AdviseMemoryOverhead(scene.Input())->because, EndsWith("; with less, no more than the 2.0 GiB of now would be granted"));
  scene.executor.limit_bytes = 1500 * kMi;
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "477m");
}

TEST(MemoryOverhead, WhatLayInSwapNeedsRoomToo) {
  Scene scene(4, 480 * kMi);
  scene.input.peer_bytes = {1};
  scene.executor.swap = ReportSwap{700 * kMi, 100 * kMi, 0};
  const std::optional<ReportAdvice> advice = AdviseMemoryOverhead(scene.Input());
  EXPECT_EQ(advice->to, "2431m");  // (4 × 480 + (700 - 510) + 100) × 1.1
  EXPECT_THAT(advice->because, EndsWith("+ JVM native 190.0 MiB + 100.0 MiB in swap + 10 %")) << "the JVM's may be heap";
}

TEST(MemoryOverhead, TheLargestSumOfAnyMomentCounts) {
  Scene scene(1, 100 * kMi);
  scene.executor.at_peak.emplace();
  for (int worker = 0; worker < 2; ++worker) {
    scene.executor.at_peak->processes.push_back({200 + worker, {}, "python-worker", 500 * kMi, {}, 0, std::nullopt, true});
  }
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "1309m");
}

TEST(MemoryOverhead, BlocksThatWereBeingFilledCount) {
  Scene scene(1, 100 * kMi);
  scene.AddSite(900 * kMi, "", {kUser});
  std::optional<ReportAdvice> advice = AdviseMemoryOverhead(scene.Input());
  EXPECT_EQ(advice->to, "1199m");
  EXPECT_THAT(advice->because, HasSubstr("Python had 900.0 MiB in live blocks"));
}

TEST(MemoryOverhead, NotWhereNobodyReservesOneNorWhereItIsEnough) {
  Scene standalone(4, 480 * kMi);
  standalone.executor.regions[0].budget_bytes = 0;
  EXPECT_FALSE(AdviseMemoryOverhead(standalone.Input()));
  EXPECT_FALSE(AdviseMemoryOverhead(Scene(1, 100 * kMi).Input())) << "(100 + 190) × 1.1 is below 384";
  Scene heap(4, 480 * kMi);
  heap.input.of_heap = true;
  EXPECT_FALSE(AdviseMemoryOverhead(heap.Input()));
}

TEST(MemoryOverhead, PythonsOwnRegionComesFirst) {
  Scene scene(4, 480 * kMi);
  scene.executor.regions[1].budget_bytes = 1500 * kMi;
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "671m");  // (1920 - 1500 + 190) × 1.1
}

TEST(ExecutorMemory, OneTaskFilledTheHeap) {
  Scene scene(1, 0);
  scene.input.of_heap = true;
  std::optional<ReportAdvice> advice = AdviseExecutorMemory(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->from, "1024m");
  EXPECT_EQ(advice->to, "2048m");
  scene.input.of_heap = false;
  EXPECT_FALSE(AdviseExecutorMemory(scene.Input()));
}

// A driver of 1 GiB, whose heap ran out.
Scene DriverScene(size_t tasks, const char* master) {
  Scene scene(tasks, 0);
  scene.executor.id = "driver";
  scene.input.of_heap = true;
  scene.settings["spark.master"] = master;
  return scene;
}

TEST(DriverMemory, TwiceOrWhatAllResultsNeed) {
  Scene scene = DriverScene(0, "yarn");
  const std::optional<ReportAdvice> twice = AdviseExecutorMemory(scene.Input());
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->conf, "spark.driver.memory");
  EXPECT_EQ(twice->from, "1024m");
  EXPECT_EQ(twice->to, "2048m");
  scene.input.result_bytes = 700 * kMi;  // (300 + 2 × 700) × 1.1 = 1870
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "2048m");
  scene.input.result_bytes = 900 * kMi;
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "2310m");
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because, HasSubstr("all results are 900.0 MiB, which it holds twice"));
}

// Serial and Parallel, which a JVM takes on one core, leave a survivor space out of their maximum.
TEST(DriverMemory, ItsSettingIsWhatIsChanged) {
  Scene scene = DriverScene(0, "yarn");
  scene.settings["spark.driver.memory"] = "512m";
  scene.executor.heap_max_bytes = 495 * kMi;
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->from, "512m");
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "1024m");
  scene.settings["spark.driver.memory"] = "4g";  // it was set when the JVM ran already
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->from, "495m");
}

// An application that asks for more than any worker has waits for ever.
TEST(ExecutorMemory, NoMoreThanAWorkerHas) {
  Scene scene(1, 10 * kMi);
  scene.input.of_heap = true;
  scene.executor.heap_max_bytes = scene.executor.requested_bytes = 4096 * kMi;
  scene.executor.host_memory_bytes = 7885 * kMi;
  scene.executor.regions[0].budget_bytes = 0;
  scene.settings["spark.master"] = "spark://h:7077";
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "6609m");  // 4096 + (7885 - 1024 - 4096) / 1.1
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because,
              HasSubstr("a standalone worker there has, unless SPARK_WORKER_MEMORY is set, 6.7 GiB"));
  scene.executor.requested_bytes = 7000 * kMi;
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "4900m") << "it was set: only the host bounds it";
  scene.executor.requested_bytes = 4096 * kMi;
  scene.executor.limit_source = "cgroup";
  scene.executor.limit_bytes = 6144 * kMi;
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "5026m") << "the container that the worker runs in, too";
  scene.settings["spark.master"] = "local-cluster[1, 2, 4096]";
  scene.executor.requested_bytes = 2048 * kMi;
  scene.executor.heap_max_bytes = 2048 * kMi;
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "3909m");
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because, HasSubstr("a worker of this local-cluster has 4.0 GiB at most"));
  for (const char* odd : {"local-cluster[", "local-cluster[1,1,", "local-cluster[1,1, ", "local-cluster[1,1,x]"}) {
    scene.settings["spark.master"] = odd;
    EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "4096m") << odd;
  }
}

TEST(DriverMemory, NoMoreThanThereIs) {
  Scene scene = DriverScene(0, "yarn");
  scene.settings["yarn.scheduler.maximum-allocation-mb"] = "1100";
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "2048m") << "it has no container of YARN's";
  scene.executor.host_memory_bytes = 1600 * kMi;
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "1216m");  // 1600 - 384
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because,
              HasSubstr("the driver filled the heap of 1.0 GiB (at most 1000.0 MiB in use after a "
                        "full collection), and the host it ran on has 1.6 GiB at most"));
  scene.input.result_bytes = 380 * kMi;
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "1216m") << "1.1 * (300 + 2 * 380) has room in it";
  scene.input.result_bytes = 410 * kMi;
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->conf, "") << "it would fail again";
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because,
              HasSubstr("has 1.6 GiB at most, while a heap of 1.2 GiB is needed (all results are 410.0 MiB, which it holds twice, "
                        "serialised and as objects, + Spark's reserve + 10 %): run it where there is more memory, or bring less to it"));
  scene.input.result_bytes = 0;
  scene.executor.limit_bytes = 1060 * kMi;
  scene.executor.limit_source = "cgroup";
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->conf, "");
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because, HasSubstr("its cgroup has 1.0 GiB at most: run it where there is more memory"));
  scene.executor.limit_source = "spark";
  scene.settings["spark.submit.deployMode"] = "cluster";
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because, HasSubstr("yarn.scheduler.maximum-allocation-mb grants 1.1 GiB at most"));
  scene.settings["yarn.nodemanager.resource.memory-mb"] = "1050";
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because, HasSubstr("yarn.nodemanager.resource.memory-mb grants 1.0 GiB at most"));
}

// Its container is made from the setting that is advised, so it bounds nothing.
TEST(DriverMemory, InClusterModeItsOwnContainerGrowsWithIt) {
  Scene scene = DriverScene(0, "k8s://https://api:6443");
  scene.executor.host_memory_bytes = 65'536 * kMi;
  scene.executor.requested_bytes = 1408 * kMi;
  scene.executor.limit_bytes = 1408 * kMi;
  scene.executor.limit_source = "cgroup";
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->conf, "") << "in client mode the cgroup is somebody else's";
  scene.settings["spark.submit.deployMode"] = "client";  // what runs in the pod
  scene.settings["spark.kubernetes.submitInDriver"] = "true";
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "2048m");
  scene.settings["spark.submit.deployMode"] = "cluster";
  scene.settings.erase("spark.kubernetes.submitInDriver");
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "2048m");
  scene.settings["spark.master"] = "spark://host:7077";
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->conf, "") << "a standalone worker makes no cgroup";
}

TEST(DriverMemory, InLocalModeFewerTasksAtOnceAreAdvisedToo) {
  Scene scene = DriverScene(3, "local[4]");
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "2048m");
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because, HasSubstr("3 tasks at once filled the heap"));
  const std::optional<ReportAdvice> fewer = AdviseExecutorCores(scene.Input());
  ASSERT_TRUE(fewer);
  EXPECT_EQ(fewer->conf, "spark.master");
  EXPECT_EQ(fewer->from, "local[4]");
  EXPECT_EQ(fewer->to, "local[1]");
  EXPECT_EQ(AdviseExecutorCores(DriverScene(4, "local[4,3]").Input())->to, "local[2,3]") << "and how often a task may fail";
  EXPECT_FALSE(AdviseExecutorCores(DriverScene(1, "local[4]").Input()));
  EXPECT_FALSE(AdviseExecutorCores(DriverScene(3, "yarn").Input()));
}

// What was requested is 1408 MiB: heap 1024, overhead 384.
Scene GrantedScene(size_t workers, uint64_t each, const char* most_mib) {
  Scene scene(workers, each);
  scene.executor.requested_bytes = 1408 * kMi;
  scene.settings["yarn.scheduler.maximum-allocation-mb"] = most_mib;
  return scene;
}

TEST(Split, FewerTasksInWhatTheClusterGrants) {
  Scene scene = GrantedScene(4, 480 * kMi, "2400");  // four take 1024 + 2321
  const std::optional<ReportAdvice> cores = AdviseSplit(scene.Input());
  ASSERT_TRUE(cores);
  EXPECT_EQ(cores->conf, "spark.executor.cores");
  EXPECT_EQ(cores->from, "4");
  EXPECT_EQ(cores->to, "2");  // 1024 + (2 × 480 + 190) × 1.1 = 2289
  EXPECT_THAT(cores->because, HasSubstr("yarn.scheduler.maximum-allocation-mb grants 2.3 GiB: 2 fit into 2.2 GiB"));
  EXPECT_THAT(cores->because, HasSubstr("2.0 times the executors"));
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "1265m") << "of two";
  const std::vector<ReportAdvice> all = Advise(scene.Input());
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const auto& piece) { return piece.conf == "spark.executor.cores"; }), 1);
}

TEST(Split, NotWhereItMayBeGrantedNorWhereNothingIsKnown) {
  EXPECT_FALSE(AdviseSplit(GrantedScene(4, 480 * kMi, "3346").Input()));
  EXPECT_EQ(AdviseMemoryOverhead(GrantedScene(4, 480 * kMi, "3346").Input())->to, "2321m");
  for (const char* unreadable : {"", "-1", "0", "8g", "99999999999999999999"}) {
    EXPECT_FALSE(AdviseSplit(GrantedScene(4, 480 * kMi, unreadable).Input())) << unreadable;
  }
  Scene unknown(4, 480 * kMi);
  unknown.settings["yarn.scheduler.maximum-allocation-mb"] = "2400";
  EXPECT_FALSE(AdviseSplit(unknown.Input())) << "what was requested isn't known";
}

TEST(Split, SmallerPartitionsWhereNotEvenOneTaskFits) {
  Scene scene = GrantedScene(2, 1500 * kMi, "2400");  // one takes 1024 + (1500 + 190) × 1.1 = 2883
  const std::optional<ReportAdvice> advice = AdviseSplit(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "");
  EXPECT_THAT(advice->because, HasSubstr("a container of 2.8 GiB for one task is more than"));
  EXPECT_THAT(advice->because, HasSubstr("divide its partition into 2 "));  // 1650 in 2400 - 1024 - 209
  EXPECT_FALSE(AdviseMemoryOverhead(scene.Input()));
  EXPECT_FALSE(Advise(scene.Input()).empty());
}

TEST(Split, WorkersBeyondTheCoresBelongToTheTasks) {
  Scene scene = GrantedScene(4, 300 * kMi, "2300");  // of two cores: three workers would fit, which one and a half tasks have
  scene.executor.cores = 2;
  EXPECT_EQ(AdviseSplit(scene.Input())->to, "1");
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "869m");  // (2 × 300 + 190) × 1.1
}

TEST(Split, WhatPysparkMemoryReservesIsThere) {
  Scene scene = GrantedScene(2, 1500 * kMi, "2500");
  scene.executor.regions[1].budget_bytes = 900 * kMi;
  scene.executor.requested_bytes = (1408 + 900) * kMi;  // 2500 - 1024 - 900 - 209 leave 367 for 600 × 1.1
  EXPECT_THAT(AdviseSplit(scene.Input())->because, HasSubstr("divide its partition into 2 "));
}

TEST(Split, TheHostBoundsItToo) {
  Scene scene = GrantedScene(4, 480 * kMi, "9999");
  scene.executor.host_memory_bytes = 2400 * kMi;
  EXPECT_THAT(AdviseSplit(scene.Input())->because, HasSubstr("the host it ran on has 2.3 GiB"));
}

TEST(ExecutorMemory, NoMoreThanTheClusterGrants) {
  Scene scene = GrantedScene(1, 0, "2000");
  scene.input.of_heap = true;
  const std::optional<ReportAdvice> advice = AdviseExecutorMemory(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->to, "1616m");  // 2000 - 384
  scene.settings["yarn.scheduler.maximum-allocation-mb"] = "1408";
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->conf, "");
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because, HasSubstr("divide its partition"));
}

// 3 GiB off-heap for Spark in a container of 2 GiB, of which `held` were taken; the JVM's other memory is 700 MiB - `held`.
Scene OffHeapScene(uint64_t held) {
  Scene scene(1, 100 * kMi);
  scene.executor.regions[2].budget_bytes = 3072 * kMi;
  scene.death.processes[0].peak_rss_bytes = 700 * kMi + held;
  scene.input.last->regions.push_back({"offHeap", held});
  return scene;
}

TEST(OffHeap, AsMuchAsTheContainerHasRoomFor) {
  const std::optional<ReportAdvice> advice = AdviseOffHeap(OffHeapScene(1100 * kMi).Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "spark.memory.offHeap.size");
  EXPECT_EQ(advice->from, "3072m");
  EXPECT_EQ(advice->to, "602m");  // 2048 - (1024 + 190 + 100) × 1.1: the heap may grow to its size
}

TEST(OffHeap, NotWhereTheContainerWasMadeForItNorWhereLittleWasHeld) {
  Scene made = OffHeapScene(1100 * kMi);
  made.death.limit_bytes = 4096 * kMi + 384 * kMi;
  EXPECT_FALSE(AdviseOffHeap(made.Input()));
  EXPECT_FALSE(AdviseOffHeap(OffHeapScene(200 * kMi).Input()));
  Scene buffers = OffHeapScene(1100 * kMi);
  buffers.input.spark_off_heap = 200 * kMi;
  EXPECT_FALSE(AdviseOffHeap(buffers.Input())) << "the others are direct buffers";
  Scene none = OffHeapScene(1100 * kMi);
  none.executor.regions[2].budget_bytes = 0;
  EXPECT_FALSE(AdviseOffHeap(none.Input()));
  Scene heap = OffHeapScene(1100 * kMi);
  heap.input.of_heap = true;
  EXPECT_FALSE(AdviseOffHeap(heap.Input()));
}

TEST(Caching, ADatasetThatHoldsAQuarterOfWhatWasFull) {
  Scene heap(1, 100 * kMi);
  heap.input.of_heap = true;
  heap.input.cached[0] = {7, "orders", 256 * kMi, 300 * kMi};
  const std::optional<ReportAdvice> advice = AdviseCaching(heap.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "");
  EXPECT_EQ(advice->because,
            "cached data `orders` held 256.0 MiB of the heap of 1.0 GiB: unpersist it before, or persist it with DISK_ONLY, which leaves "
            "that much to tasks");
  EXPECT_EQ(Advise(heap.Input()).back().because, advice->because);
  Scene container(1, 100 * kMi);
  container.input.cached[1] = {8, "", 512 * kMi, 512 * kMi};
  ASSERT_TRUE(AdviseCaching(container.Input()));
  EXPECT_THAT(AdviseCaching(container.Input())->because, HasSubstr("cached data `RDD 8` held 512.0 MiB of the limit of 2.0 GiB"));
}

TEST(Caching, NotWhereItIsLittleNorOfAnotherPartOfTheMemory) {
  Scene little(1, 100 * kMi);
  little.input.of_heap = true;
  little.input.cached[0] = {7, "orders", 255 * kMi, 300 * kMi};
  little.input.cached[1] = {8, "others", 999 * kMi, 999 * kMi};  // off-heap
  EXPECT_FALSE(AdviseCaching(little.Input()));
  Scene container(1, 100 * kMi);
  container.input.cached[0] = {7, "orders", 999 * kMi, 999 * kMi};  // in the heap, which Spark bounds
  EXPECT_FALSE(AdviseCaching(container.Input()));
  Scene unknown(1, 100 * kMi);
  unknown.input.of_heap = true;
  unknown.executor.heap_max_bytes.reset();
  unknown.input.cached[0] = {7, "orders", 999 * kMi, 999 * kMi};
  EXPECT_FALSE(AdviseCaching(unknown.Input()));
}

TEST(YarnPython, WhereItsRegionWasNotAskedFor) {
  Scene scene(2, 480 * kMi);
  scene.settings = {{"spark.master", "yarn"}, {"spark.executor.pyspark.memory", "2g"}};
  const std::optional<ReportAdvice> advice = AdviseYarnPython(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "spark.yarn.isPython");
  EXPECT_THAT(advice->because, HasSubstr("no room for the 2.0 GiB of spark.executor.pyspark.memory"));
  for (const ReportAdvice& piece : Advise(scene.Input())) EXPECT_NE(piece.conf, "spark.executor.memoryOverhead") << "twice the same bytes";
}

TEST(YarnPython, NotWhereItWasNorWithoutTheSettingNorElsewhere) {
  Scene scene(2, 480 * kMi);
  scene.settings = {{"spark.master", "yarn"}};
  EXPECT_FALSE(AdviseYarnPython(scene.Input()));
  scene.settings = {{"spark.master", "spark://m:7077"}, {"spark.executor.pyspark.memory", "2g"}};
  EXPECT_FALSE(AdviseYarnPython(scene.Input()));
  scene.settings["spark.master"] = "yarn";
  scene.executor.regions[1].budget_bytes = 2048 * kMi;
  EXPECT_FALSE(AdviseYarnPython(scene.Input()));
  scene.executor.regions[1].budget_bytes = 0;
  EXPECT_TRUE(AdviseYarnPython(scene.Input()));
  scene.executor.requested_bytes = 1408 * kMi;
  scene.settings["yarn.scheduler.maximum-allocation-mb"] = "3000";
  EXPECT_FALSE(AdviseYarnPython(scene.Input())) << "beyond what is granted";
  Scene small(1, 100 * kMi);
  small.settings = {{"spark.master", "yarn"}, {"spark.executor.pyspark.memory", "2g"}};
  EXPECT_FALSE(AdviseYarnPython(small.Input())) << "Python fitted into the overhead";
}

TEST(ArrowBatch, WhereBatchesAreWhatIsBig) {
  Scene scene(1, 1500 * kMi);
  scene.AddSite(1200 * kMi, "SQL_MAP_PANDAS_ITER_UDF", {kSerializer});
  std::optional<ReportAdvice> advice = AdviseArrowBatch(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "spark.sql.execution.arrow.maxRecordsPerBatch");
  EXPECT_EQ(advice->from, "10000");
  EXPECT_EQ(advice->to, "5000");  // room (2048 - 1.1 × 1000 = 948) for 7,900 rows, but at least halved
  scene.death.limit_bytes = 1400 * kMi;
  EXPECT_EQ(AdviseArrowBatch(scene.Input())->to, "2500");  // room 300 of 1200
  scene.settings["spark.sql.execution.arrow.maxRecordsPerBatch"] = "400";
  EXPECT_EQ(AdviseArrowBatch(scene.Input())->to, "100");
}

TEST(ArrowBatch, WhereTheirBytesAreBoundedTheBoundThatBinds) {
  const char* bytes = "spark.sql.execution.arrow.maxBytesPerBatch";
  Scene scene(1, 1500 * kMi);
  scene.AddSite(1200 * kMi, "SQL_MAP_PANDAS_ITER_UDF", {kSerializer});
  scene.death.limit_bytes = 1400 * kMi;  // room 300 of 1200
  scene.settings[bytes] = "268435456b";
  const std::optional<ReportAdvice> advice = AdviseArrowBatch(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, bytes);
  EXPECT_EQ(advice->from, "256m");
  EXPECT_EQ(advice->to, "64m");
  EXPECT_THAT(advice->because, HasSubstr("batches of up to 256.0 MiB of Arrow's held 1.2 GiB of Python's"));
  EXPECT_THAT(advice->because, HasSubstr("with 64.0 MiB they need 300.0 MiB"));
  for (const char* beyond : {"2g", "-1", "0"}) {
    scene.settings[bytes] = beyond;  // what came is less than that
    EXPECT_EQ(AdviseArrowBatch(scene.Input())->conf, "spark.sql.execution.arrow.maxRecordsPerBatch") << beyond;
  }
  scene.settings[bytes] = "1m";
  EXPECT_FALSE(AdviseArrowBatch(scene.Input())) << "not below a mebibyte";
}

TEST(ArrowBatch, WhatTheJvmCollectsForOneCounts) {
  Scene scene(1, 200 * kMi);
  scene.AddSite(600 * kMi, "", {kBatchOfJvm});
  scene.death.sites.back().origin = Origin::kJvmOffHeap;
  EXPECT_THAT(AdviseArrowBatch(scene.Input())->because, HasSubstr("held 600.0 MiB of the JVM's direct memory")) << "Python has none yet";
  scene.AddSite(20 * kMi, "SQL_MAP_PANDAS_ITER_UDF", {kSerializer});
  scene.death.limit_bytes = 480 * kMi;
  const std::optional<ReportAdvice> advice = AdviseArrowBatch(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->to, "2774");  // room 480 - 1.1 × (700 + 200 - 620) = 172 of what held 620
  EXPECT_THAT(advice->because, HasSubstr("held 20.0 MiB of Python's 200.0 MiB and 600.0 MiB of the JVM's direct memory"));
}

TEST(ArrowBatch, NotForTheUsersOwnBlocksNorForGroupsNorWithoutRoom) {
  Scene own(1, 1500 * kMi);
  own.AddSite(1200 * kMi, "SQL_MAP_PANDAS_ITER_UDF", {kUser});
  EXPECT_FALSE(AdviseArrowBatch(own.Input()));
  Scene group(1, 1500 * kMi);
  group.AddSite(1200 * kMi, "SQL_GROUPED_MAP_PANDAS_UDF", {kSerializer});
  EXPECT_FALSE(AdviseArrowBatch(group.Input())) << "a group comes whole";
  Scene full(1, 1500 * kMi);
  full.AddSite(1200 * kMi, "SQL_MAP_PANDAS_ITER_UDF", {kSerializer});
  full.death.limit_bytes = 900 * kMi;
  EXPECT_FALSE(AdviseArrowBatch(full.Input()));
}

TEST(Skew, ATaskOutOfTheOrdinary) {
  Scene scene(1, 0);
  scene.input.task_bytes = 1400 * kMi;
  scene.input.peer_bytes = {100 * kMi, 90 * kMi, 110 * kMi, 2 * kMi, 3000 * kMi};
  std::optional<ReportAdvice> advice = AdviseSkew(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "");
  EXPECT_THAT(advice->because, HasSubstr("task 17 held 1.4 GiB, 14× the median of 100.0 MiB of 5 finished tasks"));
  EXPECT_THAT(advice->because, HasSubstr("into 14 "));
}

TEST(Skew, NotAmongEqualsNorWithFewPeers) {
  Scene scene(1, 0);
  scene.input.task_bytes = 200 * kMi;
  scene.input.peer_bytes = {100 * kMi, 90 * kMi, 110 * kMi};
  EXPECT_FALSE(AdviseSkew(scene.Input()));
  scene.input.task_bytes = 2000 * kMi;
  scene.input.peer_bytes = {100 * kMi, 90 * kMi};
  EXPECT_FALSE(AdviseSkew(scene.Input()));
  scene.input.peer_bytes = {0, 0, 0};
  EXPECT_FALSE(AdviseSkew(scene.Input()));
}

TEST(Advice, IsNeverEmpty) {
  for (const char* id : {"1", "driver"}) {
    for (int i = 0; i < 6; ++i) {
      Scene scene(i / 2 * 2, 10 * kMi);
      scene.input.of_heap = i % 2 == 0;
      scene.executor.id = id;
      EXPECT_FALSE(Advise(scene.Input()).empty());
      scene.executor = ReportExecutor();
      scene.executor.id = id;
      scene.death = ReportPostMortem();
      scene.input.last.reset();
      EXPECT_FALSE(Advise(scene.Input()).empty()) << "nothing is known";
    }
  }
}

// Two tasks are known, and one at a time can run: fewer cores don't help.
TEST(Advice, OfAHeapThatOneTaskOfSeveralCoresFilled) {
  Scene scene(2, 10 * kMi);
  scene.executor.cores = 2;
  scene.settings["spark.task.cpus"] = "2";
  scene.input.of_heap = true;
  EXPECT_EQ(Advise(scene.Input()).at(0).conf, "spark.executor.memory");
}

TEST(Advice, AFullContainerOfAJvmAloneGrowsByItsOverhead) {
  Scene scene(0, 0);
  scene.executor.heap_max_bytes = 1700 * kMi;
  scene.death.processes[0].peak_rss_bytes = 1980 * kMi;  // the rest of 384 MiB is enough by its own rule
  ReportMoment last;
  last.regions = {{"heap.committed", 1700 * kMi}};
  scene.input.last = last;
  const std::vector<ReportAdvice> pieces = Advise(scene.Input());
  EXPECT_EQ(pieces.back().conf, "spark.executor.memoryOverhead");
  EXPECT_EQ(pieces.back().to, "536m");          // 384 + 2000 × 1.1 - 2048
  scene.executor.requested_bytes = 2000 * kMi;  // YARN rounded it up
  EXPECT_EQ(Advise(scene.Input()).back().to, "584m");
  for (const uint64_t requested : {4096, 1000}) {  // the cgroup is another's
    scene.executor.requested_bytes = requested * kMi;
    EXPECT_EQ(Advise(scene.Input()).back().conf, "");
  }
}

TEST(Advice, NamesTheContainersSizeOnlyWhereNoOverheadHelps) {
  auto any_size = [](const std::vector<ReportAdvice>& pieces) {
    return std::any_of(pieces.begin(), pieces.end(),
                       [](const auto& piece) { return piece.because.find("a container of") != std::string::npos; });
  };
  Scene yarn(4, 480 * kMi), standalone(4, 480 * kMi);
  standalone.executor.regions[0].budget_bytes = 0;
  EXPECT_FALSE(any_size(Advise(yarn.Input())));
  EXPECT_TRUE(any_size(Advise(standalone.Input())));
}

}  // namespace
}  // namespace memprof
