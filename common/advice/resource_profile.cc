// An executor of a ResourceProfile (stage-level scheduling): what that asks for counts instead of the settings, and nothing else of it.
#include "advice/resource_profile.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace memprof {
namespace {

// Settings that PySpark's ExecutorResourceRequests has, too.
struct Request {
  ReportResourceProfile::Request request;
  std::string_view conf, method;
};
constexpr std::array<Request, 5> kRequests = {{{ReportResourceProfile::kMemory, "spark.executor.memory", "memory"},
                                               {ReportResourceProfile::kMemoryOverhead, "spark.executor.memoryOverhead", "memoryOverhead"},
                                               {ReportResourceProfile::kPysparkMemory, "spark.executor.pyspark.memory", "pysparkMemory"},
                                               {ReportResourceProfile::kOffHeap, "spark.memory.offHeap.size", "offheapMemory"},
                                               {ReportResourceProfile::kCores, "spark.executor.cores", "cores"}}};

}  // namespace

void AdviseByProfile(const ReportExecutor& executor, std::vector<ReportAdvice>& pieces) {
  for (ReportAdvice& piece : pieces) {
    for (const Request& request : kRequests) {
      if (piece.conf != request.conf || !executor.resource_profile.AsksFor(request.request)) continue;
      const bool is_number = request.method == "cores";
      const std::string value = is_number ? piece.to : fmt::format("\"{}\"", piece.to);
      const std::string asked = piece.to.empty() ? fmt::format("more {}", request.method) : fmt::format("{}({})", request.method, value);
      const std::string instead = piece.from.empty() ? "" : fmt::format(" instead of {}", piece.from);
      piece = {"", "", "",
               fmt::format("ask for {}{} in ResourceProfile {} (ExecutorResourceRequests), which counts there instead of {}: {}", asked,
                           instead, executor.resource_profile.id, request.conf, piece.because)};
      break;
    }
  }
}

}  // namespace memprof
