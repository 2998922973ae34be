#include "stacks/class_names.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(ClassNames, OrdinaryOnes) {
  EXPECT_EQ(ClassNameOf("Lcom/acme/Job;"), "com.acme.Job");
  EXPECT_EQ(ClassNameOf("Lcom/acme/Job$Inner12;"), "com.acme.Job$Inner12");
  EXPECT_EQ(ClassNameOf(""), "");
}

TEST(ClassNames, LambdasMergeWhateverTheJvmNumbersThem) {
  for (const char* signature : {"Lcom/acme/Job$$Lambda$14.0x0000000800c03000;", "Lcom/acme/Job$$Lambda.0x00007f01a0003000;",
                                "Lcom/acme/Job$$Lambda$14/0x0000000840066840;", "Lcom/acme/Job$$Lambda$2;"}) {
    EXPECT_EQ(ClassNameOf(signature), "com.acme.Job$$Lambda") << signature;
  }
}

TEST(ClassNames, GeneratedOnesMerge) {
  EXPECT_EQ(ClassNameOf("Ljava/lang/invoke/LambdaForm$MH.0x00007f01a0003000;"), "java.lang.invoke.LambdaForm$MH");
  EXPECT_EQ(ClassNameOf("Ljdk/internal/reflect/GeneratedMethodAccessor12;"), "jdk.internal.reflect.GeneratedMethodAccessor");
  EXPECT_EQ(ClassNameOf("Lcom/sun/proxy/$Proxy7;"), "com.sun.proxy.$Proxy");
}

// The outermost frames of a task on Spark 4.3, as they were sampled.
TEST(ClassNames, OfTheWayToATasksCode) {
  for (const char* function :
       {"java.lang.Thread.run", "java.util.concurrent.ThreadPoolExecutor$Worker.run", "java.util.concurrent.ThreadPoolExecutor.runWorker",
        "org.apache.spark.executor.Executor$TaskRunner.run", "org.apache.spark.util.Utils$.tryWithSafeFinally",
        "org.apache.spark.util.SparkErrorUtils.tryWithSafeFinally", "org.apache.spark.executor.Executor$TaskRunner$$Lambda.apply",
        "org.apache.spark.executor.Executor$TaskRunner.$anonfun$run$4", "org.apache.spark.scheduler.Task.run",
        "org.apache.spark.TaskContext.runTaskWithListeners"}) {
    EXPECT_TRUE(LaunchesTasks(function)) << function;
  }
  for (const char* function : {"org.apache.spark.scheduler.ResultTask.runTask", "com.acme.Job.run", "org.apache.spark.rdd.RDD.iterator"}) {
    EXPECT_FALSE(LaunchesTasks(function)) << function;
  }
}

TEST(ThreadNames, IdsAreNumbers) {
  EXPECT_EQ(NormalizedThreadName("worker-3fa85f64-5717-4562-b3fc-2c963f66afa6-2"), "worker-#-#");
  EXPECT_EQ(NormalizedThreadName("query [id = 3FA85F64-5717-4562-B3FC-2C963F66AFA6, run]"), "query [id = #, run]");
  EXPECT_EQ(NormalizedThreadName("session 7d3f09ab12"), "session #");
  EXPECT_EQ(NormalizedThreadName("client-a1b2c3d4-e5"), "client-#-e#") << "no UUID: each word by itself";
  EXPECT_EQ(NormalizedThreadName("deadbeef"), "deadbeef") << "a word without a digit";
  EXPECT_EQ(NormalizedThreadName("abc12345"), "#");
  EXPECT_EQ(NormalizedThreadName("facade1"), "facade#") << "too short";
  EXPECT_EQ(NormalizedThreadName("12345678.5"), "#");
}

TEST(ThreadNames, OnlyNumbersTellTasksApart) {
  EXPECT_EQ(NormalizedThreadName("Executor task launch worker for task 3.0 in stage 1.0 (TID 7)"),
            "Executor task launch worker for task # in stage # (TID #)");
  EXPECT_EQ(NormalizedThreadName("pool-12-thread-3."), "pool-#-thread-#.");
  EXPECT_EQ(NormalizedThreadName("main"), "main");
}

}  // namespace
}  // namespace memprof
