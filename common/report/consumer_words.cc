#include "report/consumer_words.h"

#include <array>
#include <utility>

namespace memprof {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

// The same class may serve several operators; Spark doesn't say which.
constexpr std::array<Words, 9> kOperators = {{
    {"UnsafeExternalSorter", "sort, sort-merge join or window"},
    {"BytesToBytesMap", "hash aggregate or hash join"},
    {"LongToUnsafeRowMap", "hash join"},
    {"FixedLengthRowBasedKeyValueBatch", "hash aggregate"},
    {"VariableLengthRowBasedKeyValueBatch", "hash aggregate"},
    {"ShuffleExternalSorter", "shuffle write"},
    {"ExternalSorter", "shuffle of an RDD, or its sort"},
    {"ExternalAppendOnlyMap", "aggregation or grouping of an RDD"},
    {"HybridRowQueue", "rows that wait for Python"},
}};

}  // namespace

std::string_view ShortClassName(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) name.remove_prefix(dot + 1);
  return name.substr(0, name.find("$$anon"));  // a consumer inside of the class
}

std::string_view OperatorOf(std::string_view name) {
  if (!name.starts_with("org.apache.spark.")) return {};
  const std::string_view title = ShortClassName(name);
  for (const auto& [of, words] : kOperators) {
    if (title == of) return words;
  }
  return {};
}

std::string ConsumerTitle(std::string_view name, std::string_view operation) {
  std::string title(ShortClassName(name));
  if (!operation.empty()) title += " (" + std::string(operation) + ")";
  return title;
}

}  // namespace memprof
