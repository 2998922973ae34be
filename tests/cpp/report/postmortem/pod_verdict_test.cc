// Executors whose pod was taken away for another container of it.
#include "postmortem/pod_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/postmortem/heap_scene.h"
#include "report/postmortem/worker_scene.h"
#include "timeline/packing.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using namespace testing;

std::string OfPod(const std::string& ended, const std::string& end, const std::string& runs) {
  return "\nThe executor with id 1 exited with exit code -1(exit-1, your guess is as good as mine).\n\nThe API gave the following "
         "container "
         "statuses:\n\n\n\t container name: " +
         ended + "\n\t container image: i\n\t container state: terminated\n" + end + "\n\n\n\t container name: " + runs +
         "\n\t container image: i\n\t container state: running\n\t container started at: 2024-01-01T00:00:00Z\n\n";
}

constexpr const char* kKilled = "\t exit code: 137\n\t termination reason: OOMKilled";
constexpr const char* kCrashed = "\t exit code: 2\n\t termination reason: Error";
const std::string kOwn(kSparkContainer);

TEST(PodVerdict, ASidecarsEndIsNotOfTheExecutorsMemory) {
  for (const uint64_t used : {kContainer / 3, kFull}) {
    for (const char* end : {kKilled, kCrashed}) {
      ProfileStore store;
      FillScene(store, OfPod("fluent-bit", end, kOwn), used, "k8s://https://api:6443");
      const Json death = TheDeath(store);
      EXPECT_EQ(death["outOfMemory"], false) << death["how"];
      EXPECT_EQ(death["unknown"], false) << death["how"];
      EXPECT_TRUE(death["advice"].empty()) << death["advice"];
      const std::string named = end == kKilled ? "container fluent-bit (137, OOMKilled)" : "container fluent-bit (2)";
      EXPECT_THAT(death["headline"].get<std::string>(),
                  HasSubstr("Executor 1 was taken away with its pod, not for its own memory: " + named + " failed; "));
      EXPECT_THAT(death["how"].get<std::string>(), HasSubstr(named + " of its pod failed, and Spark took the pod away"));
      EXPECT_EQ(death["how"].get<std::string>().find("too small") != std::string::npos, end == kKilled);
    }
  }
}

// Of a kernel's kill the kubelet mostly says OOMKilled. A container that it couldn't find when its pod ended has a code that it made up.
TEST(PodVerdict, ASigkillThatKubernetesGivesAnotherReasonForIsNotKnownToBeTheKernels) {
  const auto death = [](const std::string& reason) {
    ProfileStore store;
    FillScene(
        store,
        "\nThe executor with id 1 exited with exit code 137(SIGKILL, possible container OOM).\n\nThe API gave the following container "
        "statuses:\n\n\n\t container name: spark-kubernetes-executor\n\t container image: i\n\t container state: terminated\n"
        "\t exit code: 137\n\t termination reason: " +
            reason + "\n\n",
        kFull, "k8s://https://api:6443");
    return TheDeath(store);
  };
  EXPECT_EQ(death("OOMKilled")["outOfMemory"], true);
  const Json unsaid = death("Error"), made_up = death("ContainerStatusUnknown");
  EXPECT_EQ(unsaid["outOfMemory"], false);
  EXPECT_EQ(unsaid["unknown"], true);
  EXPECT_THAT(
      unsaid["headline"].get<std::string>(),
      HasSubstr("was killed, but not by the kernel, as far as Kubernetes knows (it doesn't say OOMKilled): 97 % of the limit was in use"));
  EXPECT_FALSE(unsaid["advice"].empty());
  EXPECT_EQ(made_up["outOfMemory"], false);
  EXPECT_EQ(made_up["unknown"], true);
  EXPECT_EQ(made_up["exitCode"], nullptr);
  EXPECT_THAT(made_up["headline"].get<std::string>(), HasSubstr("Executor 1 was lost; why is not known: 97 % of the limit was in use"));
}

TEST(PodVerdict, ASidecarsFailureIsNotToBlameForACodeThatWasMadeUp) {
  const auto container = [](const std::string& name, const std::string& end) {
    return "\n\n\n\t container name: " + name + "\n\t container image: i\n\t container state: terminated\n\t " + end + "\n";
  };
  const std::string text =
      "\nThe executor with id 1 exited with exit code 137(SIGKILL, possible container OOM).\n\nThe API gave the following container "
      "statuses:";
  const std::string made_up = "exit code: 137\n\t termination reason: ContainerStatusUnknown";
  for (const std::string& statuses :
       {container(kOwn, made_up) + container("sidecar", kCrashed), container("main", made_up) + container("proxy", made_up)}) {
    ProfileStore store;
    FillScene(store, text + statuses, kFull, "k8s://https://api:6443");
    const Json death = TheDeath(store);
    EXPECT_EQ(death["unknown"], true) << death["how"];
    EXPECT_EQ(death["outOfMemory"], false);
    EXPECT_EQ(death["exitCode"], nullptr);
  }
}

TEST(PodVerdict, TheSettingSaysWhichContainerIsSparks) {
  for (const bool own : {true, false}) {
    ProfileStore store;
    FillScene(store, OfPod("main", kKilled, "proxy"), kContainer / 3, "k8s://https://api:6443");
    store.Configuration({{"spark.kubernetes.executor.podTemplateContainerName", own ? "main" : "proxy"}});
    EXPECT_EQ(TheDeath(store)["outOfMemory"], own) << TheDeath(store)["how"];
  }
}

TEST(PodVerdict, WhoseContainerItWasMayNotBeKnown) {
  struct Case {
    uint64_t used;
    const char* end;
    bool rose, of_memory;
  };
  for (const Case& each : {Case{kContainer / 3, kKilled, true, false}, Case{kFull, kKilled, false, false},
                           Case{kFull, kCrashed, true, false}, Case{kFull, kKilled, true, true}}) {
    const bool of_memory = each.of_memory;
    ProfileStore store;
    proto::Envelope life = EnvelopeOf("1");
    std::vector<TimeSample> samples(1);
    samples[0].time_ms = kBegin + 4'500;
    samples[0].Set(Gauge::kUsed, each.rose ? kContainer / 4 : each.used);
    PackSamples(samples, life.mutable_time_line());
    ASSERT_TRUE(store.Ingest(life.SerializeAsString()).ok());
    FillScene(store, OfPod("main", each.end, "proxy"), each.used, "k8s://https://api:6443");
    const Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], of_memory) << death["how"];
    EXPECT_EQ(death["unknown"], !of_memory) << death["how"];
    EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("whether it is Spark's own is not known"));
  }
}

TEST(PodVerdict, OfAnotherEndTheJvmsErrorSaysNothing) {
  for (const char* end : {kKilled, kCrashed}) {
    ProfileStore store;
    FillScene(store, OfPod("main", end, "proxy"), kContainer / 3, "k8s://https://api:6443");
    ASSERT_TRUE(store.Ingest(HeapError(false).SerializeAsString()).ok());
    const Json deaths = Deaths(store);
    EXPECT_FALSE(deaths.empty());
    for (const Json& death : deaths) EXPECT_NE(death["unknown"], death["survived"]) << death["how"];
  }
}

TEST(PodVerdict, WhatItsOwnJvmSaidStandsAboveThat) {
  ProfileStore store;
  FillScene(store, OfPod("main", "\t exit code: 52\n\t termination reason: Error", "proxy"), kContainer / 3, "k8s://https://api:6443");
  EXPECT_EQ(TheDeath(store)["unknown"], true);
  ASSERT_TRUE(store.Ingest(HeapError(false).SerializeAsString()).ok());
  EXPECT_EQ(TheDeath(store)["outOfMemory"], true) << TheDeath(store)["how"];
  EXPECT_THAT(TheDeath(store)["headline"].get<std::string>(), HasSubstr("Executor 1 ran out of heap"));
}

}  // namespace
}  // namespace memprof
