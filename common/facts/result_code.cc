#include "facts/result_code.h"

#include <algorithm>
#include <iterator>

namespace memprof {
namespace {

constexpr std::string_view kClasses[] = {
    "org.apache.spark.scheduler.TaskResultGetter",
    "org.apache.spark.scheduler.JobWaiter",      // hands a result to the action, which may join it with others
    "org.apache.spark.util.SerializableBuffer",  // results as they arrive
    "org.apache.spark.rpc.netty.",
    "org.apache.spark.network.",
    "org.apache.spark.scheduler.DirectTaskResult",
    "org.apache.spark.scheduler.IndirectTaskResult",
    "org.apache.spark.api.python.PythonRDD",
    "org.apache.spark.api.python.SerDeUtil",
    "org.apache.spark.sql.execution.python.EvaluatePython",
    "org.apache.spark.sql.execution.arrow.ArrowConverters",
    "org.apache.spark.sql.execution.exchange.BroadcastExchangeExec",
    "org.apache.spark.sql.execution.joins.",  // the relations that are made of a broadcast table
    "org.apache.spark.broadcast.",
};

// Methods of classes that do other things, too: SparkPlan, Dataset, RDD.
constexpr std::string_view kMethods[] = {"executeCollect", "executeTake",     "executeTail",     "executeToIterator",
                                         "collect",        "toLocalIterator", "decodeUnsafeRows"};

}  // namespace

bool HandlesResults(std::string_view function) {
  constexpr std::string_view kSpark = "org.apache.spark.";
  if (!function.starts_with(kSpark)) return false;
  const auto begins = [&](std::string_view name) { return function.starts_with(name); };
  if (std::any_of(std::begin(kClasses), std::end(kClasses), begins)) return true;
  if (function.starts_with("org.apache.spark.sql.execution.SparkPlan$$anon")) return true;  // the iterator over unpacked rows
  const std::string_view method = function.substr(function.rfind('.') + 1);
  return std::any_of(std::begin(kMethods), std::end(kMethods), [&](std::string_view name) { return method.find(name) != method.npos; });
}

}  // namespace memprof
