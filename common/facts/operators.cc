#include "facts/operators.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <unordered_map>

namespace memprof {
namespace {

struct Rule {
  std::string_view prefix, name;
};

// Classes below org.apache.spark. that work for one operator or service alone. Spark 3.5 to 4.3.
constexpr Rule kSparkClasses[] = {
    {"api.python.", "PythonRunner"},
    {"broadcast.", "broadcast"},
    {"shuffle.BlockStoreShuffleReader", "shuffle read"},
    {"shuffle.", "shuffle write"},
    {"sql.execution.SparkPlan.$anonfun$getByteArrayRdd", "collecting rows"},
    {"sql.execution.UnsafeExternalRowSorter", "SortExec"},
    {"sql.execution.UnsafeFixedWidthAggregationMap", "HashAggregateExec"},
    {"sql.execution.UnsafeKVExternalSorter", "HashAggregateExec"},
    {"sql.execution.aggregate.ObjectAggregation", "ObjectHashAggregateExec"},
    {"sql.execution.aggregate.RowBasedAggregateHashMap", "HashAggregateExec"},
    {"sql.execution.aggregate.SortBasedAggregation", "SortAggregateExec"},
    {"sql.execution.aggregate.TungstenAggregationIterator", "HashAggregateExec"},
    {"sql.execution.aggregate.VectorizedHashMap", "HashAggregateExec"},
    {"sql.execution.columnar.", "InMemoryRelation"},
    {"sql.execution.datasources.csv.", "CSV reader or writer"},
    {"sql.execution.datasources.jdbc.", "JDBC reader or writer"},
    {"sql.execution.datasources.json.", "JSON reader or writer"},
    {"sql.execution.datasources.orc.OrcOutputWriter", "ORC writer"},
    {"sql.execution.datasources.orc.", "ORC reader"},
    {"sql.execution.datasources.parquet.ParquetOutputWriter", "parquet writer"},
    {"sql.execution.datasources.parquet.ParquetWriteSupport", "parquet writer"},
    {"sql.execution.datasources.parquet.", "parquet reader"},
    {"sql.execution.exchange.ShuffleExchangeExec", "ShuffleExchangeExec"},
    {"sql.execution.exchange.BroadcastExchangeExec", "BroadcastExchangeExec"},
    {"sql.execution.joins.HashedRelation", "hashed relation of a join"},
    {"sql.execution.joins.LongHashedRelation", "hashed relation of a join"},
    {"sql.execution.joins.LongToUnsafeRowMap", "hashed relation of a join"},
    {"sql.execution.joins.UnsafeHashedRelation", "hashed relation of a join"},
    {"sql.execution.joins.SortMergeJoinScanner", "SortMergeJoinExec"},
    {"sql.execution.joins.UnsafeCartesianRDD", "CartesianProductExec"},
    {"sql.execution.python.", "PythonRunner"},
    {"sql.execution.streaming.state.", "state store"},
    {"sql.execution.window.", "WindowExec"},
    {"storage.ShuffleBlockFetcherIterator", "shuffle read"},
    {"storage.memory.MemoryStore", "block store"},
    {"storage.BlockManager.", "block store"},
    {"util.collection.ExternalAppendOnlyMap", "aggregation of an RDD"},
};

constexpr Rule kOtherClasses[] = {
    {"org.apache.comet.CometExecIterator", "CometNativeExec"},  // runs a plan's native part, also below a writer
    {"org.apache.parquet.hadoop.ParquetRecordWriter", "parquet writer"},
    {"org.apache.parquet.hadoop.InternalParquetRecordWriter", "parquet writer"},
    {"org.apache.parquet.hadoop.ParquetFileReader", "parquet reader"},
    {"org.apache.orc.impl.RecordReaderImpl", "ORC reader"},
    {"org.apache.orc.impl.WriterImpl", "ORC writer"},
};

// How generated methods begin, for operators whose class is named otherwise (CodegenSupport.variablePrefix).
constexpr Rule kGenerated[] = {
    {"bhj", "BroadcastHashJoinExec"},
    {"bnlj", "BroadcastNestedLoopJoinExec"},
    {"columnartorow", "ColumnarToRowExec"},
    {"expand", "ExpandExec"},
    {"filter", "FilterExec"},
    {"generate", "GenerateExec"},
    {"hashAgg", "HashAggregateExec"},
    {"memoryScan", "InMemoryTableScanExec"},
    {"project", "ProjectExec"},
    {"range", "RangeExec"},
    {"rdd", "RDDScanExec"},
    {"scan", "DataSourceScanExec"},
    {"shj", "ShuffledHashJoinExec"},
    {"smj", "SortMergeJoinExec"},
    {"sort", "SortExec"},
    {"sortAgg", "SortAggregateExec"},
};

constexpr std::string_view kSpark = "org.apache.spark.";
constexpr std::string_view kBroadcasts = "org.apache.spark.broadcast.";
constexpr std::string_view kCodegenStage = "GeneratedIteratorForCodegenStage";

template <size_t N>
std::string_view Find(const Rule (&rules)[N], std::string_view text) {
  const auto* found = std::find_if(std::begin(rules), std::end(rules), [&](const Rule& rule) { return text.starts_with(rule.prefix); });
  return found == std::end(rules) ? std::string_view() : found->name;
}

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// …GeneratedClass$GeneratedIteratorForCodegenStage2.sort_addToSorter_0$
std::string OperatorOfGenerated(std::string_view function) {
  const size_t at = function.find(kCodegenStage);
  if (at == std::string_view::npos) return {};
  std::string_view rest = function.substr(at + kCodegenStage.size());
  const auto digits = static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), IsDigit) - rest.begin());
  const std::string_view method = rest.substr(rest.rfind('.') + 1);
  const std::string_view writer = method.substr(0, method.find('_'));
  const auto* known = std::find_if(std::begin(kGenerated), std::end(kGenerated), [&](const Rule& rule) { return rule.prefix == writer; });
  if (known != std::end(kGenerated) && writer.size() < method.size()) return std::string(known->name);
  return "whole-stage codegen " + std::string(rest.substr(0, digits));
}

// The class's own name, with its outer ones: Class or Outer$Inner of package.Class.method.
std::string_view ClassOf(std::string_view function) {
  const std::string_view path = function.substr(0, function.rfind('.'));
  return path.substr(path.rfind('.') + 1);
}

}  // namespace

std::string OperatorOfFunction(std::string_view function) {
  if (!function.starts_with(kSpark)) return std::string(Find(kOtherClasses, function));
  if (std::string generated = OperatorOfGenerated(function); !generated.empty()) return generated;
  if (const std::string_view name = Find(kSparkClasses, function.substr(kSpark.size())); !name.empty()) return std::string(name);
  const std::string_view type = ClassOf(function), outer = type.substr(0, type.find('$'));
  return function.starts_with("org.apache.spark.sql.") && outer.ends_with("Exec") ? std::string(outer) : std::string();
}

bool IsPlatformCode(std::string_view function) {
  constexpr std::string_view kPlatform[] = {"java.", "javax.", "jdk.", "sun.", "com.sun.", "scala.", "org.apache.spark.", "io.netty."};
  return std::any_of(std::begin(kPlatform), std::end(kPlatform), [&](std::string_view prefix) { return function.starts_with(prefix); });
}

Operators::Operators(const Interner& interner) : by_stack_(interner.stack_count()), reads_broadcast_(interner.stack_count()) {
  std::unordered_map<std::string, uint32_t> numbers;
  std::vector<uint32_t> by_frame(interner.frame_count());
  std::vector<bool> of_broadcast(interner.frame_count());
  for (uint32_t index = 0; index < interner.frame_count(); ++index) {
    const InternedFrame& frame = interner.FrameAt(index);
    if (frame.language != Language::kJava) continue;
    of_broadcast[index] = interner.StringAt(frame.function).starts_with(kBroadcasts);
    std::string name = OperatorOfFunction(interner.StringAt(frame.function));
    if (name.empty()) continue;
    const auto [entry, added] = numbers.try_emplace(std::move(name), static_cast<uint32_t>(names_.size()));
    if (added) names_.push_back(entry->first);
    by_frame[index] = entry->second;
  }
  for (StackId id = 1; id <= interner.stack_count(); ++id) {  // a parent is always interned before its children
    const InternedStack& stack = interner.StackAt(id);
    const uint32_t outer = stack.parent == 0 ? 0 : by_stack_[stack.parent - 1];
    by_stack_[id - 1] = by_frame[stack.frame] != 0 ? by_frame[stack.frame] : outer;
    reads_broadcast_[id - 1] = of_broadcast[stack.frame] || (stack.parent != 0 && reads_broadcast_[stack.parent - 1]);
  }
}

}  // namespace memprof
