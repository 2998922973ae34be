#include "report/call_site.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

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

std::optional<uint32_t> NumberOf(std::string_view digits) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

// Takes what stands before the next `end`, and that; all of it where there is none.
std::string_view TakeUntil(char end, std::string_view& text) {
  const size_t size = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

}  // namespace

CallSite ParseCallSite(std::string_view text) {
  const size_t at = text.find(" at "), colon = text.rfind(':');
  if (at == text.npos || colon == text.npos || colon < at + 4) return {};
  const std::string_view file = text.substr(at + 4, colon - at - 4);
  const std::optional<uint32_t> line = NumberOf(text.substr(colon + 1));
  if (!line) return {};
  const bool of_user = *line != 0 && std::find(kNobodys.begin(), kNobodys.end(), file) == kNobodys.end();
  return {text.substr(0, at), file, *line, of_user};
}

std::vector<ReportPlace> ParsePlaces(std::string_view text) {
  std::vector<ReportPlace> places;
  for (std::string_view row = TakeUntil('\n', text); !row.empty() || !text.empty(); row = TakeUntil('\n', text)) {
    const size_t colon = std::min(row.rfind(':'), row.size());
    const std::string_view file = row.substr(0, colon);
    row.remove_prefix(std::min(colon + 1, row.size()));
    while (!row.empty()) {
      const std::optional<uint32_t> line = NumberOf(TakeUntil(',', row));
      if (line.value_or(0) != 0 && !file.empty()) places.push_back({std::string(file), *line});
    }
  }
  if (places.size() > kMostPlaces) places.erase(places.begin(), places.end() - kMostPlaces);
  return places;
}

}  // namespace memprof
