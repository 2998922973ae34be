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

TEST(ThreadNames, OnlyNumbersTellTasksApart) {
  EXPECT_EQ(NormalizedThreadName("Executor task launch worker for task 3.0 in stage 1.0 (TID 7)"),
            "Executor task launch worker for task # in stage # (TID #)");
  EXPECT_EQ(NormalizedThreadName("pool-12-thread-3."), "pool-#-thread-#.");
  EXPECT_EQ(NormalizedThreadName("main"), "main");
}

}  // namespace
}  // namespace memprof
