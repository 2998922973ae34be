#include "report/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/origin.h"
#include "base/typed_code.h"
#include "report/digest.h"

namespace memprof {
namespace {

using Key = std::tuple<std::string, std::string, std::string, std::string>;  // UDF, file, function, text or number

using Function = std::tuple<std::string, std::string, std::string>;  // UDF, file, function

// Whole components of the path.
std::string_view CommonEnd(std::string_view a, std::string_view b) {
  const auto [in_a, in_b] = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  const auto is_whole = [](auto at, auto end) { return at == end || *at == '/'; };
  const std::string_view end = a.substr(a.size() - static_cast<size_t>(in_a - a.rbegin()));
  if (is_whole(in_a, a.rend()) && is_whole(in_b, b.rend())) return end;
  const size_t slash = end.find('/');
  return slash == end.npos ? "" : end.substr(slash + 1);
}

std::string_view BareName(std::string_view file) { return file.substr(file.rfind('/') + 1); }

// Each package has one of that name.
bool IsOfAnyPackage(std::string_view end) { return end == "__init__.py" || end == "__main__.py"; }

// A cluster copies a job's files into another folder in each run, at times in each container. Files that only one run has are known by the
// longest end of their path that a file has which only the other run has.
class FileNames {
 public:
  FileNames(const Report& before, const Report& after) {
    std::set<std::string> old_files = FilesOf(before), new_files = FilesOf(after);
    const auto in_both = [&](const std::string& file) { return new_files.contains(file); };
    std::set<std::string> both;
    std::copy_if(old_files.begin(), old_files.end(), std::inserter(both, both.end()), in_both);
    for (const std::string& file : both) {
      old_files.erase(file);
      new_files.erase(file);
    }
    Know(old_files, new_files);
    Know(new_files, old_files);
  }

  // What was typed has another number in each run.
  std::string Of(const std::string& file) const {
    constexpr std::string_view kCell = "notebook cell";
    if (file.starts_with(kCell)) return std::string(kCell);
    if (IsTypedAtPrompt(file)) return "<stdin>";
    const auto moved = moved_.find(file);
    return moved == moved_.end() ? file : moved->second;
  }

 private:
  static std::set<std::string> FilesOf(const Report& report) {
    std::set<std::string> files;
    for (const ReportStage& stage : report.stages) {
      for (const ReportLine& line : stage.lines) {
        if (!line.file.empty()) files.insert(line.file);
      }
    }
    return files;
  }

  void Know(const std::set<std::string>& files, const std::set<std::string>& others) {
    std::multimap<std::string_view, std::string_view> by_name;
    for (const std::string& other : others) by_name.emplace(BareName(other), other);
    for (const std::string& file : files) {
      std::string_view longest;
      const auto alike = by_name.equal_range(BareName(file));
      for (auto other = alike.first; other != alike.second; ++other) {
        const std::string_view end = CommonEnd(file, other->second);
        if (end.size() > longest.size() && !IsOfAnyPackage(end)) longest = end;
      }
      if (!longest.empty()) moved_[file] = "…/" + std::string(longest);
    }
  }

  std::map<std::string, std::string> moved_;
};

Function FunctionOf(const ReportLine& line, const FileNames& names) {
  return {line.udf ? line.udf->name : std::string(), names.Of(line.file), line.function};
}

// Functions of which a line has no text of its own.
void FindUnreadable(const Report& report, const FileNames& names, std::set<Function>* found) {
  for (const ReportStage& stage : report.stages) {
    for (const ReportLine& line : stage.lines) {
      if (line.source.empty() || line.source == "(redacted)") found->insert(FunctionOf(line, names));
    }
  }
}

Key KeyOf(const ReportLine& line, const FileNames& names, const std::set<Function>& unreadable) {
  const Function function = FunctionOf(line, names);
  return std::tuple_cat(function, std::tuple(unreadable.contains(function) ? std::to_string(line.line) : line.source));
}

std::optional<uint64_t> Largest(const std::optional<uint64_t>& a, const std::optional<uint64_t>& b) { return std::max(a, b); }

// Stages are sampled independently, so variances add up.
std::optional<uint64_t> ErrorOfSum(const std::optional<uint64_t>& a, const std::optional<uint64_t>& b) {
  if (!a || !b) return std::nullopt;
  return static_cast<uint64_t>(std::llround(std::hypot(static_cast<double>(*a), static_cast<double>(*b))));
}

void Add(const ReportLine& line, std::optional<ComparedFigures>* figures) {
  if (!*figures) *figures = ComparedFigures{.line = line.line, .error_bytes = 0};
  ComparedFigures& sum = **figures;
  sum.line = std::min(sum.line, line.line);
  sum.allocated_bytes += line.allocated_bytes;
  if (line.live_at_peak_bytes > sum.live_at_peak_bytes) {  // an unknown figure is less than any known one
    sum.live_at_peak_bytes = line.live_at_peak_bytes;
    sum.error_bytes = line.error_bytes;
  } else if (!sum.live_at_peak_bytes) {
    sum.error_bytes = ErrorOfSum(sum.error_bytes, line.error_bytes);
  }
}

uint64_t AllocatedOf(const std::optional<ComparedFigures>& figures) { return figures ? figures->allocated_bytes : 0; }

std::optional<uint64_t> FullestOf(const Report& report) {
  std::optional<uint64_t> most;
  for (const ReportExecutor& executor : report.executors) {
    if (executor.at_peak) most = Largest(most, executor.at_peak->used_bytes);
  }
  return report.other_executors ? Largest(most, report.other_executors->largest_used_bytes) : most;
}

// Of each stage, and of those that have no row.
template <typename Visit>
void ForEachTotal(const Report& report, Origin origin, Visit visit) {
  for (const ReportStage& stage : report.stages) {
    if (const ReportOriginSum* total = TotalOf(stage, origin)) visit(*total);
  }
  if (!report.other_stages) return;
  for (const ReportOriginSum& total : report.other_stages->totals) {
    if (total.origin == origin) visit(total);
  }
}

std::optional<uint64_t> HeldByATask(const Report& report, Origin origin) {
  std::optional<uint64_t> most;
  ForEachTotal(report, origin, [&](const ReportOriginSum& total) { most = Largest(most, total.live_at_peak_bytes); });
  return most;
}

uint64_t Allocated(const Report& report, Origin origin) {
  uint64_t sum = 0;
  ForEachTotal(report, origin, [&](const ReportOriginSum& total) { sum += total.allocated_bytes; });
  return sum;
}

}  // namespace

std::optional<int64_t> ComparedLine::live_change() const {
  int64_t change = 0;
  for (const auto& [side, sign] : {std::pair(&before, -1), std::pair(&after, 1)}) {
    if (!*side) continue;
    if (!(*side)->live_at_peak_bytes) return std::nullopt;
    change += sign * static_cast<int64_t>(*(*side)->live_at_peak_bytes);
  }
  return change;
}

int64_t ComparedLine::allocated_change() const {
  return static_cast<int64_t>(AllocatedOf(after)) - static_cast<int64_t>(AllocatedOf(before));
}

Comparison Compare(const Report& before, const Report& after) {
  Comparison comparison{before.application, after.application, {}, {}};
  const auto add_sum = [&](const char* name, const char* key, bool is_bytes, auto of) {
    comparison.sums.push_back({name, key, is_bytes, of(before), of(after)});
  };
  using Sum = std::optional<uint64_t>;
  add_sum("post-mortems", "postMortems", false,
          [](const Report& report) -> Sum { return report.post_mortems.size() + report.other_deaths.size(); });
  add_sum("used in the fullest executor", "fullestExecutorBytes", true, FullestOf);
  add_sum("Python memory one task held at most", "pythonLiveAtPeakBytes", true,
          [](const Report& report) { return HeldByATask(report, Origin::kPython); });
  add_sum("off-heap memory one task held at most", "offHeapLiveAtPeakBytes", true,
          [](const Report& report) { return HeldByATask(report, Origin::kJvmOffHeap); });
  add_sum("memory of native libraries in the JVM that one task held at most", "nativeLiveAtPeakBytes", true,
          [](const Report& report) { return HeldByATask(report, Origin::kJvmNative); });
  add_sum("allocated in Python", "pythonAllocatedBytes", true,
          [](const Report& report) -> Sum { return Allocated(report, Origin::kPython); });
  add_sum("allocated in the JVM's heap", "heapAllocatedBytes", true,
          [](const Report& report) -> Sum { return Allocated(report, Origin::kJvmHeap); });

  std::set<Function> unreadable;
  const FileNames names(before, after);
  FindUnreadable(before, names, &unreadable);
  FindUnreadable(after, names, &unreadable);
  std::map<Key, ComparedLine> lines;
  const auto add_lines = [&](const Report& report, std::optional<ComparedFigures> ComparedLine::*side) {
    for (const ReportStage& stage : report.stages) {
      for (const ReportLine& line : stage.lines) {
        ComparedLine& compared = lines[KeyOf(line, names, unreadable)];
        compared.udf = line.udf;
        compared.is_pysparks = compared.is_pysparks && IsPySparks(line, stage);
        compared.function = line.function;
        compared.file = line.file;
        compared.source = line.source;
        Add(line, &(compared.*side));
      }
    }
  };
  add_lines(before, &ComparedLine::before);
  add_lines(after, &ComparedLine::after);
  for (auto& [key, line] : lines) {
    if (line.live_change().value_or(0) != 0 || line.allocated_change() != 0) comparison.lines.push_back(std::move(line));
  }
  std::stable_sort(comparison.lines.begin(), comparison.lines.end(), [](const ComparedLine& a, const ComparedLine& b) {
    const auto order = [](const ComparedLine& line) {
      return std::pair(std::abs(line.live_change().value_or(0)), std::abs(line.allocated_change()));
    };
    return order(a) > order(b);
  });
  return comparison;
}

}  // namespace memprof
