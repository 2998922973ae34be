// Bounds that no setting of memory moves: containers, hosts, address spaces, and pools of a JVM.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/advice/scene.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;

// No setting helps, and this says what does.
void DemandWords(const std::optional<ReportAdvice>& advice, const char* words) {
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "");
  EXPECT_THAT(advice->because, HasSubstr(words));
}

// The only piece.
void DemandWordsAlone(const std::vector<ReportAdvice>& pieces, const char* words) {
  ASSERT_EQ(pieces.size(), 1u);
  DemandWords(pieces[0], words);
}

TEST(ContainerSize, SaysWhatWouldDo) {
  Scene standalone(4, 480 * kMi);
  standalone.executor.regions[0].budget_bytes = 0;
  ReportAdvice advice = AdviseContainerSize(standalone.Input());
  EXPECT_EQ(advice.conf, "");
  EXPECT_THAT(advice.because, HasSubstr("a container of 2.8 GiB instead of 2.0 GiB"));
  Scene fits(1, 100 * kMi);
  fits.death.used_bytes = 800 * kMi;
  EXPECT_THAT(AdviseContainerSize(fits.Input()).because, HasSubstr("more than 2.0 GiB"));
}

// It is no container's, so nobody can make it larger by a setting.
TEST(ContainerSize, OfAHost) {
  Scene scene(1, 100 * kMi);
  scene.executor.host_memory_bytes = 2048 * kMi;
  scene.death.used_bytes = 1500 * kMi;
  EXPECT_EQ(AdviseContainerSize(scene.Input()).because,
            "fewer executors or other programs on that host, or smaller ones: its memory of 2.0 GiB ran short, of which this executor had "
            "1.5 GiB");
  Scene large(4, 480 * kMi);
  large.executor.host_memory_bytes = 2048 * kMi;
  EXPECT_THAT(AdviseContainerSize(large.Input()).because, HasSubstr("a host with 2.8 GiB instead of 2.0 GiB"));
  scene.death.limit_bytes = 1600 * kMi;  // of a container on it
  EXPECT_THAT(AdviseContainerSize(scene.Input()).because, HasSubstr("the container grows from"));
}

// The limit of the group that YARN makes for a container is what it granted: a request within it would change nothing.
TEST(MemoryOverhead, OfAGroupOfYarnsItIsMoreThanThat) {
  Scene scene(1, 200 * kMi);
  scene.input.peer_bytes = {1};
  scene.executor.limit_source = "cgroup";
  scene.executor.requested_bytes = 1408 * kMi;
  scene.executor.limit_bytes = 2048 * kMi;
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "429m") << "(200 + 190) * 1.1: elsewhere nothing is rounded";
  scene.settings["spark.master"] = "yarn";
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "1025m");
  scene.executor.limit_shared = true;
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "429m") << "a group around several containers";
  scene.executor.limit_shared = false;
  scene.executor.limit_bytes = 2816 * kMi;
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "429m") << "too large to be a container's of that request";
}

// The next step that YARN takes is beyond its maximum: a smaller value would be rounded to what is granted already.
TEST(MemoryOverhead, NoneWithinWhatYarnGrantsAlready) {
  Scene scene(1, 500 * kMi);
  scene.input.peer_bytes = {1};
  scene.executor.limit_source = "spark";
  scene.executor.regions[0].budget_bytes = 614 * kMi;
  scene.executor.requested_bytes = (6144 + 614) * kMi;
  scene.executor.limit_bytes = scene.death.limit_bytes = 7168 * kMi;
  scene.settings = {{"spark.master", "yarn"}, {"yarn.scheduler.maximum-allocation-mb", "8192"}};
  EXPECT_EQ(AdviseMemoryOverhead(scene.Input())->to, "1025m");
  scene.settings["yarn.scheduler.maximum-allocation-mb"] = "7168";
  EXPECT_FALSE(AdviseMemoryOverhead(scene.Input())) << "(500 + 190) * 1.1 = 759 MiB, which 7168 - 6144 have room for";
}

TEST(FullHost, NoSettingOfTheExecutorsOwnHelps) {
  Scene scene(4, 480 * kMi);
  ASSERT_EQ(Advise(scene.Input())[0].conf, "spark.executor.memoryOverhead");
  scene.input.of_host = true;
  DemandWordsAlone(Advise(scene.Input()), "fewer executors or other programs on that host");
}

TEST(VirtualMemory, IsYarnsToCheckOrNot) {
  Scene scene(4, 480 * kMi);
  EXPECT_FALSE(AdviseVirtualMemory(scene.Input()));
  scene.input.of_address_space = true;
  DemandWordsAlone(Advise(scene.Input()), "yarn.nodemanager.vmem-check-enabled=false");
}

// Fewer cores each make more executors, all of them in the same group; neither does overhead make that larger.
TEST(ContainerSize, OfALimitThatExecutorsShare) {
  Scene scene(4, 300 * kMi);
  ASSERT_EQ(Advise(scene.Input())[0].conf, "spark.executor.memoryOverhead");
  scene.executor.limit_shared = true;
  scene.death.used_bytes = 2047 * kMi;
  const std::vector<ReportAdvice> pieces = Advise(scene.Input());
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].because,
            "a container of 2.2 GiB instead of 2.0 GiB for all that share it, or fewer executors there: Python workers together held "
            "1.2 GiB (4 at once) + JVM 700.0 MiB + 147.0 MiB of what shares the limit + 10 %");
  scene.death.process = "container";  // YARN has killed it, in the node manager's group
  EXPECT_EQ(Advise(scene.Input())[0].conf, "spark.executor.memoryOverhead");
  scene.death.process = "jvm";
  scene.input.of_heap = true;
  for (const ReportAdvice& piece : Advise(scene.Input())) EXPECT_NE(piece.conf, "") << "a heap is its executor's own: " << piece.because;
}

// A worker with `reserved` of 1000 MiB of address space was refused 300 MiB.
Scene RefusedScene(uint64_t reserved) {
  Scene scene(1, 480 * kMi);
  scene.executor.host_memory_bytes = 16'384 * kMi;
  scene.death.address_space = ReportAddressSpace{1000 * kMi, reserved, 200 * kMi, 300 * kMi};
  return scene;
}

TEST(PysparkMemory, IsWhatWasReservedAndAskedForByEachWorker) {
  Scene scene = RefusedScene(900 * kMi);
  scene.settings["spark.executor.pyspark.memory"] = "4000m";  // of four cores
  std::optional<ReportAdvice> advice = AdvisePysparkMemory(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "spark.executor.pyspark.memory");
  EXPECT_EQ(advice->from, "4000m");
  EXPECT_EQ(advice->to, "5280m");
  EXPECT_THAT(advice->because, HasSubstr("900.0 MiB reserved + 300.0 MiB asked for + 10 %, times 4"));
}

TEST(PysparkMemory, IsNoAnswerToALimitOfSomebodyElses) {
  Scene scene = RefusedScene(900 * kMi);
  scene.settings["spark.executor.pyspark.memory"] = "500m";  // less than the limit that was met
  for (bool set : {true, false}) {
    if (!set) scene.settings.clear();
    DemandWords(AdvisePysparkMemory(scene.Input()), "not Spark's limit");
  }
}

TEST(PysparkMemory, CannotGiveMoreThanTheHostHas) {
  Scene scene = RefusedScene(900 * kMi);
  scene.settings["spark.executor.pyspark.memory"] = "4000m";
  scene.death.address_space->refused_bytes = 20'000 * kMi;
  DemandWords(AdvisePysparkMemory(scene.Input()), "fewer rows");
}

TEST(PysparkMemory, BeyondWhatIsGrantedEachHasMoreWithFewerAtOnce) {
  Scene scene = RefusedScene(900 * kMi);
  scene.settings["spark.executor.pyspark.memory"] = "4000m";
  scene.settings["yarn.scheduler.maximum-allocation-mb"] = "6500";
  scene.executor.requested_bytes = (1024 + 384 + 4000) * kMi;
  EXPECT_EQ(AdvisePysparkMemory(scene.Input())->to, "5280m") << "nobody reserves it: it is a bound alone";
  scene.executor.regions[1].budget_bytes = 4000 * kMi;
  const std::optional<ReportAdvice> advice = AdvisePysparkMemory(scene.Input());  // 5408 + 1280 > 6500
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "spark.executor.cores");
  EXPECT_EQ(advice->from, "4");
  EXPECT_EQ(advice->to, "3");  // 4000 / 1320
  scene.settings["spark.task.cpus"] = "2";
  EXPECT_EQ(AdvisePysparkMemory(scene.Input())->to, "2") << "whole tasks";
  scene.settings["yarn.scheduler.maximum-allocation-mb"] = "7000";
  EXPECT_EQ(AdvisePysparkMemory(scene.Input())->to, "5280m");
  scene.settings["yarn.scheduler.maximum-allocation-mb"] = "6500";
  scene.death.address_space->refused_bytes = 5000 * kMi;
  DemandWords(AdvisePysparkMemory(scene.Input()), "fewer rows");
}

TEST(PysparkMemory, NothingWasRefused) { EXPECT_FALSE(AdvisePysparkMemory(Scene(1, 480 * kMi).Input())); }

Scene ShortScene(const char* error) {
  Scene scene(1, 480 * kMi);
  scene.input.shortage = ParseJvmShortage(error);
  return scene;
}

TEST(JvmPools, DirectBuffersGetTwiceTheirBoundOrWhatWasWanted) {
  constexpr const char* kReserve =
      "java.lang.OutOfMemoryError: Cannot reserve {} bytes of direct buffer memory (allocated: 83886080, limit: 104857600)";
  std::optional<ReportAdvice> advice = AdviseJvmPools(ShortScene(fmt::format(fmt::runtime(kReserve), 41'943'040).c_str()).Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "spark.executor.extraJavaOptions");
  EXPECT_EQ(advice->from, "-XX:MaxDirectMemorySize=100m");
  EXPECT_EQ(advice->to, "-XX:MaxDirectMemorySize=200m");
  EXPECT_THAT(advice->because, HasSubstr("held 80.0 MiB of 100.0 MiB when 40.0 MiB more"));
  EXPECT_THAT(advice->because, HasSubstr("spark.executor.memoryOverhead must have room for 100.0 MiB more"));
  Scene alone = ShortScene(fmt::format(fmt::runtime(kReserve), 41'943'040).c_str());
  alone.executor.regions.clear();
  EXPECT_THAT(AdviseJvmPools(alone.Input())->because, HasSubstr("its container or machine must have room for 100.0 MiB more"))
      << "the setting does nothing where nothing is reserved";
  advice = AdviseJvmPools(ShortScene(fmt::format(fmt::runtime(kReserve), 314'572'800).c_str()).Input());
  EXPECT_EQ(advice->to, "-XX:MaxDirectMemorySize=418m") << "380 MiB + 10 %";
  advice = AdviseJvmPools(ShortScene("java.lang.OutOfMemoryError: Direct buffer memory").Input());
  EXPECT_EQ(advice->from, "") << "nobody says that the option is set";
  EXPECT_EQ(advice->to, "-XX:MaxDirectMemorySize=2048m") << "twice the heap, which is the bound without it";
}

TEST(FetchedBlocks, GoToAFileWhereEachTasksHaveNoRoom) {
  constexpr const char* kFailed =
      "org.apache.spark.shuffle.FetchFailedException: Block shuffle_0_1_0 fetch failed after 10 retries due to Netty OOM\n"
      "io.netty.util.internal.OutOfDirectMemoryError: failed to allocate 4194304 byte(s) of direct memory (used: 155189511, max: "
      "157286400)";
  Scene scene = ShortScene(kFailed);
  std::vector<ReportAdvice> advice = Advise(scene.Input());
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_EQ(advice[0].conf, "spark.network.maxRemoteBlockSizeFetchToMem");
  EXPECT_EQ(advice[0].from, "200m");
  EXPECT_EQ(advice[0].to, "10m") << "four for each of four tasks";
  EXPECT_THAT(advice[0].because, HasSubstr("bounded by 150.0 MiB"));
  EXPECT_EQ(advice[1].from, "-XX:MaxDirectMemorySize=150m");
  EXPECT_EQ(advice[1].to, "-XX:MaxDirectMemorySize=300m");
  scene.settings["spark.network.maxRemoteBlockSizeFetchToMem"] = "9m";
  EXPECT_FALSE(AdviseFetchedBlocks(scene.Input())) << "they go to a file already";
  const std::string all(kFailed);
  const std::string of_netty = all.substr(all.find('\n') + 1);
  EXPECT_FALSE(AdviseFetchedBlocks(ShortScene(of_netty.c_str()).Input())) << "nobody says that it fetched blocks";
  constexpr const char* kOfJdk =
      "org.apache.spark.shuffle.FetchFailedException\n"
      "java.lang.OutOfMemoryError: Cannot reserve 21037056 bytes of direct buffer memory (allocated: 197909960, limit: 209715200)";
  EXPECT_EQ(AdviseFetchedBlocks(ShortScene(kOfJdk).Input()).value().to, "13m");
  EXPECT_FALSE(AdviseFetchedBlocks(ShortScene(all.substr(0, all.find('\n')).c_str()).Input())) << "nobody says what the bound is";
}

TEST(JvmPools, IsTheOnlyAdvice) {
  Scene scene = ShortScene("java.lang.OutOfMemoryError: Direct buffer memory");
  EXPECT_EQ(Advise(scene.Input()).size(), 1u) << "no container was full";
  scene = ShortScene("java.lang.OutOfMemoryError: Metaspace");
  EXPECT_THAT(AdviseJvmPools(scene.Input())->because, HasSubstr("MaxMetaspaceSize"));
  EXPECT_EQ(AdviseJvmPools(scene.Input())->to, "") << "no JVM starts with an option without its value";
  scene = ShortScene("java.lang.OutOfMemoryError: Compressed class space");
  EXPECT_THAT(AdviseJvmPools(scene.Input())->to, HasSubstr("CompressedClassSpaceSize"));
}

TEST(JvmPools, NoHeapIsLargeEnoughForAnArrayLongerThanAny) {
  DemandWordsAlone(Advise(ShortScene("java.lang.OutOfMemoryError: Requested array size exceeds VM limit").Input()),
                   "no larger heap changes that");
}

TEST(JvmPools, SayNothingOfAHeap) {
  EXPECT_FALSE(AdviseJvmPools(ShortScene("java.lang.OutOfMemoryError: Java heap space").Input()));
  EXPECT_FALSE(AdviseJvmPools(Scene(1, 480 * kMi).Input()));
}

}  // namespace
}  // namespace memprof
