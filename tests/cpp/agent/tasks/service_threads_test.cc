#include "tasks/service_threads.h"

#include <gtest/gtest.h>

#include "stacks/class_names.h"

namespace memprof {
namespace {

std::string_view ServiceOf(std::string_view thread) { return ServiceOfThread(NormalizedThreadName(thread)); }

TEST(ServiceThreads, AreKnownByWhatTheirNamesBeginWith) {
  EXPECT_EQ(ServiceOf("Executor task launch worker for task 3.0 in stage 7.1 (TID 25)"), "task launch");
  EXPECT_EQ(ServiceOf("Executor task launch worker-0"), "task launch");
  EXPECT_EQ(ServiceOf("dispatcher-BlockManagerEndpoint1"), "RPC");
  EXPECT_EQ(ServiceOf("rpc-client-1-1"), "RPC");
  EXPECT_EQ(ServiceOf("serve-Arrow"), "Py4J");
  EXPECT_EQ(ServiceOf("serve RDD 12 with partitions 0"), "Py4J");
  EXPECT_EQ(ServiceOf("serve-http"), "") << "anybody's";
  EXPECT_EQ(ServiceOf("dispatcher-event-loop-3"), "RPC");
  EXPECT_EQ(ServiceOf("subquery-2"), "query planning");
  EXPECT_EQ(ServiceOf("SIGTERM handler"), "JVM");
  EXPECT_EQ(ServiceOf("main"), "start and end");
  EXPECT_EQ(ServiceOf("shuffle-server-5-2"), "block transfer");
  EXPECT_EQ(ServiceOf("block-manager-storage-async-thread-pool-17"), "block transfer");
  EXPECT_EQ(ServiceOf("executor-heartbeater"), "heartbeat");
  EXPECT_EQ(ServiceOf("stdout writer for /usr/bin/python3"), "Python workers' pipes");
  EXPECT_EQ(ServiceOf("C2 CompilerThread0"), "JIT");
  EXPECT_EQ(ServiceOf("Log4j2-TF-3-Scheduled-1"), "logging");
  EXPECT_EQ(ServiceOf("scala-execution-context-global-41"), "shared pools");
  EXPECT_EQ(ServiceOf("s3a-transfer-my-bucket-unbounded-pool2-t17"), "shared pools");
  EXPECT_EQ(ServiceOf("globalEventExecutor-1-1"), "shared pools");
  EXPECT_EQ(ServiceOf("kafka-producer-network-thread | producer-3"), "shared pools");
  EXPECT_EQ(ServiceOf("java-sdk-http-connection-reaper"), "shared pools");
  EXPECT_EQ(ServiceOf("idle-connection-reaper"), "shared pools");
  EXPECT_EQ(ServiceOf("LeaseRenewer:etl@namenode:8020"), "Hadoop");
  EXPECT_EQ(ServiceOf("shuffle-block-push-thread-7"), "block transfer");
  EXPECT_EQ(ServiceOf("sparkmemprof-send"), "sparkmemprof");
  EXPECT_EQ(ServiceOf("memprof-watch"), "sparkmemprof");
}

TEST(ServiceThreads, SomeWorkForOneTaskAtATime) {
  const auto serves_all = [](std::string_view thread) { return ServesAllTasks(NormalizedThreadName(thread)); };
  EXPECT_TRUE(serves_all("shuffle-client-4-1"));
  EXPECT_TRUE(serves_all("files-client-1-1"));
  EXPECT_TRUE(serves_all("ForkJoinPool.commonPool-worker-3"));
  EXPECT_FALSE(serves_all("ForkJoinPool-1-worker-3")) << "somebody's own";
  EXPECT_TRUE(serves_all("context-cleaner-periodic-gc"));
  EXPECT_FALSE(serves_all("stdout writer for python3"));
  EXPECT_FALSE(serves_all("Executor task launch worker for task 3.0 in stage 7.1 (TID 25)"));
  EXPECT_FALSE(serves_all("pool-1-thread-1"));
}

TEST(ServiceThreads, AreNoOthers) {
  for (const char* thread : {"", "Thread-3", "pool-2-thread-1", "ForkJoinPool-1-worker-1", "my-dispatcher-1", "a main thread",
                             "main-loader", "SIGMA-pool", "dispatcher-of-mine", "rpc-of-mine", "subquery-runner"}) {
    EXPECT_EQ(ServiceOf(thread), "") << thread;
  }
}

}  // namespace
}  // namespace memprof
