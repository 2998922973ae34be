// Names of Java classes as people write them, without the parts that the JVM numbers differently in every run. So the same call
// site has the same name in every task, executor and attempt:
//   Lcom/acme/Job$$Lambda$14.0x0000000800c03000;  -> com.acme.Job$$Lambda
//   Ljava/lang/invoke/LambdaForm$MH.0x00007f01;   -> java.lang.invoke.LambdaForm$MH
//   Ljdk/internal/reflect/GeneratedMethodAccessor12; -> jdk.internal.reflect.GeneratedMethodAccessor
// Pure functions, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

std::string ClassNameOf(std::string_view jvm_signature);

// True for Spark's frames between a thread's start and the task's own code, which are the same in every task. `function` is class
// and method: org.apache.spark.scheduler.Task.run.
bool LaunchesTasks(std::string_view function);

// "Executor task launch worker for task 3.0 in stage 1.0 (TID 7)" -> "Executor task launch worker for task # in stage # (TID #)".
std::string NormalizedThreadName(std::string_view name);

}  // namespace memprof
