#include "rollup/growth.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "facts/interned_profile.h"
#include "facts/lead_lines.h"
#include "facts/udf_row.h"
#include "proto/memprof.pb.h"

namespace memprof {
namespace {

constexpr double kDeviations = 1.959964;  // of a normal distribution: 95 %

bool Ran(const std::vector<UdfId>& udfs, const std::pmr::vector<UdfId>& of_line) {
  return of_line.empty() ||
         std::any_of(of_line.begin(), of_line.end(), [&](UdfId udf) { return std::find(udfs.begin(), udfs.end(), udf) != udfs.end(); });
}

// The standard deviation of Kendall's S, corrected for ties.
double DeviationOfS(const std::vector<std::pair<double, double>>& points) {
  std::map<double, double> equal;
  for (const auto& [x, y] : points) ++equal[y];
  const auto term = [](double n) { return n * (n - 1) * (2 * n + 5); };
  double variance = term(static_cast<double>(points.size()));
  for (const auto& [y, count] : equal) variance -= term(count);
  return std::sqrt(std::max(0.0, variance) / 18);
}

}  // namespace

std::optional<Slope> SenSlope(const std::vector<std::pair<double, double>>& points) {
  std::vector<double> slopes;
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t j = i + 1; j < points.size(); ++j) {
      if (points[i].first != points[j].first) {
        slopes.push_back((points[j].second - points[i].second) / (points[j].first - points[i].first));
      }
    }
  }
  if (slopes.empty()) return std::nullopt;
  std::sort(slopes.begin(), slopes.end());
  const auto count = static_cast<double>(slopes.size());
  const double half_width = kDeviations * DeviationOfS(points);
  const auto at = [&](double index) { return slopes[static_cast<size_t>(std::clamp(index, 0.0, count - 1))]; };
  Slope slope;
  slope.median = (at(std::floor((count - 1) / 2)) + at(std::ceil((count - 1) / 2))) / 2;
  slope.low = at(std::floor((count - half_width) / 2) - 1);
  slope.high = at(std::ceil((count + half_width) / 2));
  return slope;
}

void Growth::Add(std::string_view executor_id, const proto::TaskProfile& profile, const InternedProfile& decoded, Interner& interner) {
  if (profile.leftovers_size() == 0) return;
  const InternedReferences interned(profile, interner);
  for (const proto::Leftovers& leftovers : profile.leftovers()) {
    if (leftovers.open()) continue;  // of the tasks before, which have told it themselves
    const WorkerKey key{std::string(executor_id), leftovers.pid(), leftovers.since_ms()};
    auto known = workers_.find(key);
    if (known == workers_.end()) {
      if (workers_.size() >= kMostWorkers) Keep(kMostWorkers - kMostWorkers / 8);
      known = workers_.try_emplace(key, workers_.get_allocator().resource()).first;
    }
    Worker& worker = known->second;
    Task task{leftovers.through(), leftovers.complete(), {}};
    for (const uint32_t udf : leftovers.udfs()) task.udfs.push_back(interned.Udf(udf));
    if (!worker.tasks.try_emplace(leftovers.session(), task).second) continue;

    std::map<uint32_t, uint64_t> left;  // by line
    for (const proto::Leftover& site : leftovers.sites()) {
      if (const uint32_t frame = LeadFrameOf(interned.Stack(site.stack()), interner)) left[frame] += site.live_bytes();
    }
    for (const auto& [frame, bytes] : left) {
      worker.lines.try_emplace(frame, workers_.get_allocator().resource()).first->second.left.emplace_back(leftovers.session(), bytes);
    }
    for (const InternedSite& site : decoded.sites) {
      if (site.key.origin != Origin::kPython || site.key.udf == 0) continue;
      if (std::find(task.udfs.begin(), task.udfs.end(), site.key.udf) == task.udfs.end()) continue;
      const auto line = worker.lines.find(LeadFrameOf(site.key.stack, interner));
      if (line == worker.lines.end()) continue;
      auto& udfs = line->second.udfs;
      if (std::find(udfs.begin(), udfs.end(), site.key.udf) == udfs.end()) udfs.push_back(site.key.udf);
    }
    Bound(worker);
  }
}

uint64_t Growth::LeftAt(const Line& line, uint64_t session) {
  const auto found = std::find_if(line.left.begin(), line.left.end(), [&](const auto& left) { return left.first == session; });
  return found == line.left.end() ? 0 : found->second;
}

uint64_t Growth::HeldBy(const Worker& worker) {
  if (worker.tasks.empty()) return 0;
  uint64_t held = 0;
  for (const auto& [frame, line] : worker.lines) held += LeftAt(line, worker.tasks.rbegin()->first);
  return held;
}

void Growth::Bound(Worker& worker) {
  while (worker.tasks.size() > kMostTasks) {
    const uint64_t oldest = worker.tasks.begin()->first;
    for (auto line = worker.lines.begin(); line != worker.lines.end();) {
      std::erase_if(line->second.left, [&](const auto& left) { return left.first == oldest; });
      line = line->second.left.empty() ? worker.lines.erase(line) : std::next(line);
    }
    worker.tasks.erase(oldest);
  }
  while (worker.lines.size() > kMostLines) {
    const auto smallest = std::min_element(worker.lines.begin(), worker.lines.end(), [](const auto& a, const auto& b) {
      return a.second.left.back().second < b.second.left.back().second;
    });
    worker.lines.erase(smallest);
  }
}

std::optional<ReportLeakWorker> Growth::Found(const Worker& worker, const Line& line, uint64_t least_bytes) {
  std::vector<uint64_t> sessions;  // that ran the line's function
  for (const auto& [session, task] : worker.tasks) {
    if (Ran(task.udfs, line.udfs)) sessions.push_back(session);
  }
  std::vector<std::pair<double, double>> points;
  uint64_t largest = 0, seen = 0;
  for (const uint64_t session : sessions) {
    const Task& task = worker.tasks.at(session);
    const uint64_t left = LeftAt(line, session);
    seen += left != 0;
    if (left == 0 && !task.complete) continue;  // the message may have had no room for the line
    largest = std::max(largest, left);
    const auto served = std::upper_bound(sessions.begin(), sessions.end(), task.through) - sessions.begin();
    points.emplace_back(static_cast<double>(served), static_cast<double>(left));
  }
  if (points.size() < kFewestTasks) return std::nullopt;
  const std::optional<Slope> slope = SenSlope(points);
  if (!slope || slope->low <= 0) return std::nullopt;
  const auto [first, last] = std::minmax_element(points.begin(), points.end());
  if (slope->median * (last->first - first->first) < static_cast<double>(least_bytes)) return std::nullopt;
  // Later tasks of other functions may have freed it.
  auto latest = worker.tasks.rbegin();
  while (latest != worker.tasks.rend() && !latest->second.complete && LeftAt(line, latest->first) == 0) ++latest;
  ReportLeakWorker found;
  found.live_bytes = latest == worker.tasks.rend() ? 0 : LeftAt(line, latest->first);
  if (found.live_bytes < largest / 2) return std::nullopt;
  found.tasks = points.size();
  found.tasks_with_bytes = seen;
  const auto rounded = [](double bytes) { return static_cast<uint64_t>(std::llround(bytes)); };
  found.per_task_bytes = rounded(slope->median);
  found.per_task_low_bytes = static_cast<uint64_t>(std::floor(slope->low));
  found.per_task_high_bytes = static_cast<uint64_t>(std::ceil(slope->high));
  return found;
}

std::vector<ReportLeak> Growth::Leaks(const Interner& interner, uint64_t least_bytes, size_t most) const {
  std::map<std::tuple<std::string, uint32_t, std::string>, ReportLeak> by_line;  // file, line, function
  for (const auto& [key, worker] : workers_) {
    for (const auto& [frame, line] : worker.lines) {
      std::optional<ReportLeakWorker> found = Found(worker, line, least_bytes);
      if (!found) continue;
      found->executor_id = key.executor;
      found->pid = key.pid;
      const InternedFrame& code = interner.FrameAt(frame - 1);
      const std::string file(interner.ShownAt(code.file)), function(interner.StringAt(code.function));
      ReportLeak& leak = by_line[{file, code.line, function}];
      leak.file = file;
      leak.line = code.line;
      leak.function = function;
      ++leak.workers;
      leak.live_bytes += found->live_bytes;
      for (const UdfId id : line.udfs) {
        std::optional<ReportUdf> ran = UdfRow(id, interner);
        if (!leak.udf || ran < leak.udf) leak.udf = std::move(ran);  // several functions may use a helper; one of them is named
      }
      const auto rank = [](const ReportLeakWorker& each) { return std::tuple(each.live_bytes, each.tasks, each.executor_id, each.pid); };
      if (leak.workers == 1 || rank(*found) > rank(leak.largest)) leak.largest = *std::move(found);
    }
  }
  std::vector<ReportLeak> leaks;
  for (auto& [line, leak] : by_line) leaks.push_back(std::move(leak));
  std::stable_sort(leaks.begin(), leaks.end(), [](const ReportLeak& a, const ReportLeak& b) { return a.live_bytes > b.live_bytes; });
  if (leaks.size() > most) leaks.resize(most);
  return leaks;
}

size_t Growth::Keep(size_t keep) {
  if (workers_.size() <= keep) return 0;
  std::vector<std::pair<uint64_t, WorkerKey>> held;
  for (const auto& [key, worker] : workers_) held.emplace_back(HeldBy(worker), key);
  std::sort(held.begin(), held.end(), std::greater<>());
  for (size_t i = keep; i < held.size(); ++i) workers_.erase(held[i].second);
  dropped_workers_ += held.size() - keep;
  return held.size() - keep;
}

void Growth::MoveTo(InternerCopy& copy) {
  for (auto& [key, worker] : workers_) {
    for (auto& [session, task] : worker.tasks) {
      for (UdfId& udf : task.udfs) udf = copy.Udf(udf);
    }
    std::pmr::map<uint32_t, Line> lines(workers_.get_allocator().resource());
    for (auto& [frame, line] : worker.lines) {
      for (UdfId& udf : line.udfs) udf = copy.Udf(udf);
      lines.emplace(copy.Frame(frame - 1) + 1, std::move(line));
    }
    worker.lines = std::move(lines);
  }
}

}  // namespace memprof
