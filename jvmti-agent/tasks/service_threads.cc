#include "tasks/service_threads.h"

#include <algorithm>
#include <iterator>

namespace memprof {
namespace {

struct Service {
  std::string_view thread;  // how the normalised name begins
  std::string_view name;
};

constexpr std::string_view kTaskLaunch = "task launch", kPipes = "Python workers' pipes";

// Names as Spark 3.5 to 4.3, JDK 11 to 25, Netty, Jetty and Log4j give them; and Iceberg, Hadoop, Kafka's
// producers and the AWS SDKs by their sources.
constexpr Service kServices[] = {
    // On a task's own thread: before the task begins, its binary is read and classes are loaded; after its end, its result is serialised.
    {"Executor task launch worker", kTaskLaunch},
    {"task-result-getter-", kTaskLaunch},
    {"dispatcher-event-loop-", "RPC"},
    {"dispatcher-BlockManager", "RPC"},
    {"dispatcher-CoarseGrainedScheduler", "RPC"},
    {"dispatcher-Executor", "RPC"},
    {"dispatcher-HeartbeatReceiver", "RPC"},
    {"rpc-boss-", "RPC"},
    {"rpc-client-", "RPC"},
    {"rpc-server-", "RPC"},
    {"netty-rpc-", "RPC"},
    // Netty's event loops serve all tasks that fetch or send blocks.
    {"shuffle-client-", "block transfer"},
    {"shuffle-server-", "block transfer"},
    {"shuffle-boss-", "block transfer"},
    {"files-client-", "block transfer"},
    {"map-output-dispatcher-", "block transfer"},
    {"RemoteBlock-temp-file-clean-thread", "block transfer"},
    {"block-manager-", "block transfer"},
    {"shuffle-block-push-thread", "block transfer"},
    {"executor-heartbeater", "heartbeat"},
    {"driver-heartbeater", "heartbeat"},
    {"heartbeat-receiver-", "heartbeat"},
    {"spark-listener-group-", "listener bus"},
    {"element-tracking-store-worker", "listener bus"},
    {"dag-scheduler-", "scheduler"},
    {"task-scheduler-", "scheduler"},
    {"spark-dynamic-executor-allocation", "scheduler"},
    {"serve-Arrow", "Py4J"},  // they send results to the driver's Python program (PythonRDD.serveToStream)
    {"serve-DataFrame", "Py4J"},
    {"serve RDD", "Py4J"},
    {"serve toLocalIterator", "Py4J"},
    {"Spark Context Cleaner", "cleaner"},
    {"context-cleaner-", "cleaner"},
    {"SparkUI-", "UI"},
    {"qtp", "UI"},
    // The driver's: they plan queries and build broadcast tables, for jobs of many tasks.
    {"broadcast-exchange-", "query planning"},
    {"subquery-#", "query planning"},
    {"dynamicpruning-#", "query planning"},
    {"shuffle-exchange-", "query planning"},
    {"stream execution thread", "query planning"},
    {"state-store-maintenance-", "state store maintenance"},
    // While its task runs, such a thread counts for the task; it also lives between tasks.
    {"Idle Worker Monitor for ", kPipes},
    {"Monitor for ", kPipes},
    {"Worker Monitor for ", kPipes},
    {"Writer Monitor for ", kPipes},
    {"stderr reader for ", kPipes},
    {"stdout reader for ", kPipes},
    {"stdout writer for ", kPipes},
    {"process reaper", kPipes},
    {"VirtualThread-", "virtual threads"},  // it wakes them
    // Pools that outlive tasks: whichever task comes first starts their threads, and then they work for any.
    {"ForkJoinPool.commonPool-", "shared pools"},
    {"CompletableFutureDelayScheduler", "shared pools"},
    {"scala-execution-context-global-", "shared pools"},
    {"iceberg-worker-pool-", "shared pools"},
    {"iceberg-delete-worker-pool-", "shared pools"},
    {"s#a-transfer-", "shared pools"},
    {"globalEventExecutor-", "shared pools"},             // Netty's
    {"kafka-producer-network-thread", "shared pools"},    // Spark caches producers beyond a task
    {"java-sdk-http-connection-reaper", "shared pools"},  // of the AWS SDK, version 1 and
    {"idle-connection-reaper", "shared pools"},           // version 2
    {"C# CompilerThread#", "JIT"},
    {"Attach Listener", "JVM"},
    {"Common-Cleaner", "JVM"},
    {"Finalizer", "JVM"},
    {"Notification Thread", "JVM"},
    {"Reference Handler", "JVM"},
    {"Service Thread", "JVM"},
    {"Signal Dispatcher", "JVM"},
    {"SIGHUP handler", "JVM"},
    {"SIGINT handler", "JVM"},
    {"SIGTERM handler", "JVM"},
    {"DestroyJavaVM", "start and end"},
    {"shutdown-hook-", "start and end"},
    {"Thread-shutdown", "start and end"},
    {"Log#j#-", "logging"},
    {"AsyncAppender", "logging"},
    {"org.apache.hadoop.", "Hadoop"},
    {"IPC Client ", "Hadoop"},
    {"LeaseRenewer:", "Hadoop"},
    {"IPC Parameter Sending Thread", "Hadoop"},
    {"memprof-", "sparkmemprof"},
    {"sparkmemprof-", "sparkmemprof"},
};

}  // namespace

std::string_view ServiceOfThread(std::string_view normalized_thread_name) {
  if (normalized_thread_name == "main") return "start and end";  // only the whole name: names of the user's threads may begin with "main"
  const auto* found = std::find_if(std::begin(kServices), std::end(kServices),
                                   [&](const Service& service) { return normalized_thread_name.starts_with(service.thread); });
  return found == std::end(kServices) ? std::string_view() : found->name;
}

bool ServesAllTasks(std::string_view normalized_thread_name) {
  const std::string_view service = ServiceOfThread(normalized_thread_name);
  return !service.empty() && service != kTaskLaunch && service != kPipes;
}

}  // namespace memprof
