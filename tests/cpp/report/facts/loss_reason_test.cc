#include "facts/loss_reason.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memprof {
namespace {

TEST(LossReason, ReadsExitCodes) {
  struct Case {
    const char* text;
    int code;
  };
  for (const Case& each : {
           Case{"Command exited with code 137", 137},
           Case{"\nThe executor with id 7 exited with exit code 137(SIGKILL, possible container OOM).\n\n\n", 137},
           Case{"Container from a bad node: container_1_0001_01_000002 on host: node7. Exit status: 137. Diagnostics: [x]Killed", 137},
           Case{"Container marked as failed. Diagnostics: Container killed on request. Exit code is 143", 143},
           Case{"Command exited with code 52", 52},
           Case{"Container from a bad node: container_1 on host: node7. Exit status: 137. Diagnostics: [x]Error file: prelaunch.err.\n"
                "Last 4096 bytes of prelaunch.err :\nLast 4096 bytes of stderr :\nffmpeg exited with code 0, decommission",
                137},
           Case{"Container marked as failed. Exit status: 143. Last 10 items of 4 bytes", 143},
       }) {
    LossReason reason = ParseLossReason(each.text);
    EXPECT_EQ(reason.kind, LossKind::kExit) << each.text;
    EXPECT_EQ(reason.exit_code, each.code) << each.text;
  }
}

TEST(LossReason, KnowsAManagersKillForMemory) {
  LossReason yarn = ParseLossReason(
      "Container killed by YARN for exceeding physical memory limits. 1.1 GB of 1 GB physical memory used. Consider boosting "
      "spark.executor.memoryOverhead.");
  EXPECT_EQ(yarn.kind, LossKind::kContainerMemory);
  EXPECT_EQ(yarn.exit_code, std::nullopt);
  ASSERT_TRUE(yarn.told);
  EXPECT_EQ(yarn.told->used_bytes, 1'181'116'006u);  // 1.1 × 2^30
  EXPECT_EQ(yarn.told->limit_bytes, uint64_t{1} << 30);
  LossReason kubernetes = ParseLossReason(
      "The executor with id 3 exited with exit code 137(SIGKILL, possible container OOM).\nThe API gave the following container "
      "statuses:\n\t container state: terminated\n\t exit code: 137\n\t termination reason: OOMKilled");
  EXPECT_EQ(kubernetes.kind, LossKind::kContainerMemory);
  EXPECT_EQ(kubernetes.exit_code, 137);
}

TEST(LossReason, WhatYarnCountedIsInItsWords) {
  constexpr const char* kDiagnostics =
      "[pid=4711,containerID=container_1_0001_01_000002] is running beyond physical memory limits. Current usage: 512.5 MB of 512 MB "
      "physical "
      "memory used; 3.1 GB of 1.0 GB virtual memory used. Killing container.";
  ASSERT_TRUE(ParseLossReason(kDiagnostics).told);
  EXPECT_EQ(ParseLossReason(kDiagnostics).told->used_bytes, 512 * 1'048'576u + 524'288u);
  EXPECT_EQ(ParseLossReason(kDiagnostics).told->limit_bytes, 512 * 1'048'576u);
  for (const char* words :
       {"", " physical memory used", "of 1 GB physical memory used", " of 1 GB physical memory used", "x GB of 1 GB physical memory used",
        "1.1 GB of 1 XB physical memory used", "1.1GB of 1 GB physical memory used", "-1 GB of 1 GB physical memory used",
        "1e300 GB of 1 GB physical memory used", "1 GB of 0 GB physical memory used", "nan GB of inf GB physical memory used",
        "1.1 GB 1 GB physical memory used"}) {
    const LossReason reason = ParseLossReason(std::string("Container killed by YARN for exceeding physical memory limits. ") + words);
    EXPECT_EQ(reason.kind, LossKind::kContainerMemory) << words;
    EXPECT_FALSE(reason.told) << words;
  }
  EXPECT_FALSE(ParseLossReason("Container killed by YARN for exceeding virtual memory limits. 1 GB of 2 GB physical memory used").told);
}

// The kernel has killed in one of the pod's containers, a Python worker for instance; this one ended by its own error later.
TEST(LossReason, OomKilledIsBelievedWhereTheExitCodeFits) {
  const std::string statuses = "\ncontainer statuses:\n\t exit code: {}\n\t termination reason: OOMKilled";
  EXPECT_EQ(ParseLossReason("The executor with id 3 exited with exit code 52(OutOfMemory)." + statuses).kind, LossKind::kExit);
  EXPECT_EQ(ParseLossReason("The executor with id 3 exited with exit code 1(unexpected)." + statuses).kind, LossKind::kExit);
  EXPECT_EQ(ParseLossReason("The executor with id 3 was lost." + statuses).kind, LossKind::kContainerMemory);
}

// What Spark says of a pod that failed, with its containers' statuses (ExecutorPodsLifecycleManager, KubernetesUtils).
std::string OfPod(const std::string& code, const std::vector<std::string>& containers) {
  std::string text =
      "\nThe executor with id 3 exited with exit code " + code + ".\n\n\n\nThe API gave the following container statuses:\n\n";
  for (const std::string& each : containers) text += each + "\n\n";
  return text;
}

std::string Runs(const std::string& name) {
  return "\n\t container name: " + name +
         "\n\t container image: repo/image:1\n\t container state: running\n\t container started at: 2024-01-01T00:00:00Z";
}

std::string Ended(const std::string& name, int code, const std::string& reason) {
  return "\n\t container name: " + name +
         "\n\t container image: repo/image:1\n\t container state: terminated\n\t container started at: 2024-01-01T00:00:00Z\n\t "
         "container finished at: 2024-01-01T01:00:00Z\n\t exit code: " +
         std::to_string(code) + "\n\t termination reason: " + reason;
}

const std::string kOwn(kSparkContainer);
constexpr const char* kNoCode = "-1(exit-1, your guess is as good as mine)";

TEST(LossReason, AContainerBesideSparksOwnIsNotTheExecutor) {
  const LossReason killed = ParseLossReason(OfPod(kNoCode, {Ended("fluent-bit", 137, "OOMKilled"), Runs(kOwn)}));
  EXPECT_EQ(killed.kind, LossKind::kBeside);
  EXPECT_EQ(killed.exit_code, std::nullopt);
  ASSERT_TRUE(killed.container);
  EXPECT_EQ(ContainerPhrase(*killed.container), "container fluent-bit (137, OOMKilled)");
  const LossReason crashed =
      ParseLossReason(OfPod(kNoCode, {Ended("exporter", 0, "Completed"), Ended("istio-proxy", 2, "Error"), Runs(kOwn)}));
  EXPECT_EQ(crashed.kind, LossKind::kBeside);
  ASSERT_TRUE(crashed.container);
  EXPECT_EQ(ContainerPhrase(*crashed.container), "container istio-proxy (2)");
  // Killed together with the pod that the other one's end took.
  const LossReason both =
      ParseLossReason(OfPod("137(SIGKILL, possible container OOM)", {Ended("fluent-bit", 137, "OOMKilled"), Ended(kOwn, 137, "Error")}));
  EXPECT_EQ(both.kind, LossKind::kExit);
  EXPECT_EQ(both.exit_code, 137);
  const LossReason own =
      ParseLossReason(OfPod("137(SIGKILL, possible container OOM)", {Runs("fluent-bit"), Ended(kOwn, 137, "OOMKilled")}));
  EXPECT_EQ(own.kind, LossKind::kContainerMemory);
  EXPECT_FALSE(own.container);
}

// Of a pod template Spark takes the first container, if it is given no name, and looks for its exit code under its own name.
TEST(LossReason, AContainerMayHaveAnotherName) {
  const std::string text = OfPod(kNoCode, {Ended("main", 137, "OOMKilled"), Runs("proxy")});
  EXPECT_EQ(ParseLossReason(text, "main").kind, LossKind::kContainerMemory);
  EXPECT_EQ(ParseLossReason(text, "main").exit_code, 137);
  EXPECT_EQ(ParseLossReason(text, "proxy").kind, LossKind::kBeside);
  const LossReason unknown = ParseLossReason(text);
  EXPECT_NE(unknown.kind, LossKind::kBeside);
  EXPECT_TRUE(unknown.container);
  const LossReason alone = ParseLossReason(OfPod(kNoCode, {Ended("main", 52, "Error")}));
  EXPECT_EQ(alone.exit_code, 52);
  EXPECT_EQ(alone.kind, LossKind::kExit);
}

TEST(LossReason, WhatKubernetesEvictedFor) {
  const std::string brief =
      "The executor with id 3 exited with exit code 137(SIGKILL, possible container OOM).\nThe API gave the "
      "following brief reason: Evicted\nThe API gave the following message: ";
  struct Case {
    const char* message;
    NodeShortage evicted_for;
  };
  for (const Case& each : {Case{"The node was low on resource: memory. Threshold quantity: 100Mi, available: 70Mi.", NodeShortage::kMemory},
                           Case{"The node was low on resource: ephemeral-storage.", NodeShortage::kOther},
                           Case{"Usage of EmptyDir volume \"spark-local-dir-1\" exceeds the limit \"1Gi\".", NodeShortage::kOther},
                           Case{"N/A", NodeShortage::kNotTold}}) {
    const LossReason reason = ParseLossReason(brief + each.message);
    EXPECT_EQ(reason.kind, LossKind::kEvicted) << each.message;
    EXPECT_EQ(reason.evicted_for, each.evicted_for) << each.message;
    EXPECT_EQ(reason.exit_code, 137);
  }
  const LossReason no_status = ParseLossReason("The executor with id 3 exited with exit code -1(unexpected).");
  EXPECT_EQ(no_status.exit_code, std::nullopt);
  EXPECT_EQ(no_status.kind, LossKind::kUnknown);
}

// Kubernetes, of a node that goes: its kubelet ends the pods.
TEST(LossReason, ANodeThatIsShutDownIsNoMatterOfMemory) {
  const LossReason reason = ParseLossReason(
      "The executor with id 3 exited with exit code 137(SIGKILL, possible container OOM).\nThe API gave the following brief reason: "
      "Terminated\nThe API gave the following message: Pod was terminated in response to imminent node shutdown.\nThe API gave the "
      "following container statuses: reason: Error");
  EXPECT_EQ(reason.kind, LossKind::kEvicted);
  EXPECT_EQ(reason.evicted_for, NodeShortage::kOther);
}

TEST(LossReason, ADoubtIsNotAKillForMemory) {
  EXPECT_EQ(ParseLossReason("exited with exit code 137(SIGKILL, possible container OOM).").kind, LossKind::kExit);
}

TEST(LossReason, ExecutorsThatWereWantedGone) {
  for (const char* text :
       {"Executor killed by driver.", "Executor decommission: worker decommissioned", "Container c_1 was preempted.",
        "Executor for container c_1 exited because of a YARN event (e.g., preemption) and not because of an error in the "
        "running job.",
        "Container c_1 exited from explicit termination request.", "Container c_1 exited after Application shutdown.",
        "Command exited with code 0", "The executor with id 4 was deleted by a user or the framework.", "Worker shutting down",
        "java.lang.IllegalStateException: Shutdown hooks cannot be modified during shutdown."}) {
    EXPECT_EQ(ParseLossReason(text).kind, LossKind::kOnPurpose) << text;
  }
}

LossReason OfYarnsStatus(int status) {
  return ParseLossReason("Container marked as failed: container_1_0001_01_000002 on host: node7. Exit status: " + std::to_string(status) +
                         ". Diagnostics: none.");
}

// ContainerExitStatus: negative numbers are the manager's, and nobody saw the process end.
TEST(LossReason, WhatYarnGivesInPlaceOfAnExitCode) {
  for (const int status : {-100, -101, -105, -106, -107, -108, -109, -1000, -9}) {
    EXPECT_EQ(OfYarnsStatus(status).exit_code, std::nullopt) << status;
    EXPECT_EQ(OfYarnsStatus(status).yarn_status, status);
    EXPECT_EQ(OfYarnsStatus(status).silent, status == -100);
  }
  for (const int status : {-100, -1000, -9}) EXPECT_EQ(OfYarnsStatus(status).kind, LossKind::kUnknown) << status;
  for (const int status : {-105, -107}) EXPECT_EQ(OfYarnsStatus(status).kind, LossKind::kOnPurpose) << status;
  for (const int status : {-101, -106, -108, -109}) {
    EXPECT_EQ(OfYarnsStatus(status).kind, LossKind::kEvicted) << status;
    EXPECT_EQ(OfYarnsStatus(status).evicted_for, NodeShortage::kOther) << status;
  }
}

TEST(LossReason, WhatNobodyHasHeardFrom) {
  for (const char* text :
       {"Executor heartbeat timed out after 126021 ms", "worker lost", "worker lost: Not receiving heartbeat for 60 seconds"})
    EXPECT_TRUE(ParseLossReason(text).silent) << text;
  for (const char* text : {"", "Remote RPC client disassociated.", "worker lost: 10.0.0.7:34581 got disassociated",
                           "Command exited with code 137", "Worker shutting down"})
    EXPECT_FALSE(ParseLossReason(text).silent) << text;
}

TEST(LossReason, WhoseWorkerIsGone) {
  EXPECT_TRUE(ParseLossReason("worker lost: 10.0.0.7:34581 got disassociated").with_worker);
  for (const char* text : {"", "worker lost", "Worker shutting down", "Remote RPC client disassociated."})
    EXPECT_FALSE(ParseLossReason(text).with_worker) << text;
}

TEST(LossReason, OtherwiseItIsNotKnown) {
  for (const char* text : {"", "Executor heartbeat timed out after 126021 ms", "exit code is unknown", "exited with code",
                           "Remote RPC client disassociated. Likely due to containers exceeding thresholds, or network issues.",
                           "exit code 99999999999999999999"}) {
    LossReason reason = ParseLossReason(text);
    EXPECT_EQ(reason.kind, LossKind::kUnknown) << text;
    EXPECT_EQ(reason.exit_code, std::nullopt) << text;
  }
}

}  // namespace
}  // namespace memprof
