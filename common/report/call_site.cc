#include "report/call_site.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace memprof {
namespace {

// Reflection of py4j's gateway, Spark's own bridge to Python, and the pools on whose threads Spark runs parts of a query.
constexpr std::array<std::string_view, 9> kNobodys = {
    "NativeMethodAccessorImpl.java",
    "DirectMethodHandleAccessor.java",
    "Method.java",
    "PythonRDD.scala",
    "CompletableFuture.java",
    "ThreadPoolExecutor.java",
    "FutureTask.java",
    "ForkJoinTask.java",
    "<unknown>",
};

}  // namespace

CallSite ParseCallSite(std::string_view text) {
  CallSite site;
  const size_t at = text.find(" at "), colon = text.rfind(':');
  if (at == text.npos || colon == text.npos || colon < at + 4) return site;
  const std::string_view digits = text.substr(colon + 1);
  uint32_t line = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || end != digits.data() + digits.size()) return site;
  site.function = text.substr(0, at);
  site.file = text.substr(at + 4, colon - at - 4);
  site.line = line;
  site.of_user = line != 0 && std::find(kNobodys.begin(), kNobodys.end(), site.file) == kNobodys.end();
  return site;
}

}  // namespace memprof
