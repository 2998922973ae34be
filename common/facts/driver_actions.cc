#include "facts/driver_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "facts/charged_action.h"
#include "facts/facts.h"
#include "report/call_site.h"

namespace memprof {
namespace {

constexpr size_t kMostText = 2048;

std::string_view Cut(std::string_view text) { return text.substr(0, kMostText); }

// BroadcastExchangeExec says so in the description (Spark 3.5) or in a tag (Spark 4) of the job that collects the table.
bool IsBroadcast(const JobStart& job) {
  constexpr std::string_view kOfSpark = "broadcast exchange (runId ";
  return job.description.starts_with(kOfSpark) || job.tags.find(kOfSpark) != job.tags.npos;
}

// Some jobs of a query run on Spark's own threads, whose call sites don't show the user's line.
int RankOf(std::string_view call_site) {
  const CallSite site = ParseCallSite(call_site);
  if (site.of_user) return 2;
  return site.file == "CompletableFuture.java" || site.file == "ThreadPoolExecutor.java" || site.file == "FutureTask.java" ? 0 : 1;
}

// What a thread told of an action whose end it didn't see may still stand there, beside the call site of the next one.
std::string_view BuiltAt(const JobStart& job) {
  const size_t end = job.built_at.find('\n'), at = job.call_site.find(" at ");
  if (job.built_at.size() > kMostText || end == job.built_at.npos || at == job.call_site.npos) return "";
  return job.call_site.substr(at + 4) == job.built_at.substr(0, end) ? job.built_at.substr(end + 1) : "";
}

void Add(ReportOtherActions& sums, uint64_t tasks, uint64_t bytes, uint64_t broadcast_bytes) {
  ++sums.actions;
  sums.result_tasks += tasks;
  sums.result_bytes += bytes;
  sums.broadcast_bytes += broadcast_bytes;
}

}  // namespace

// A query without a job is not an action.
bool DriverActions::empty() const {
  return !any_let_go_ && std::none_of(actions_.begin(), actions_.end(), [](const auto& entry) { return !entry.second.jobs.empty(); });
}

DriverActions::Action& DriverActions::FindOrMake(const Key& key) {
  if (!actions_.contains(key) && actions_.size() >= kMostActions) Keep(kMostActions / 4 * 3);
  return actions_.try_emplace(key, memory_).first->second;
}

// Keeps the best call site that was reported for the action.
void DriverActions::NameBy(std::string_view call_site, Action& action) {
  const int rank = RankOf(call_site);
  if (call_site.empty() || rank <= action.call_site_rank) return;
  action.call_site = Cut(call_site);
  action.call_site_rank = rank;
}

void DriverActions::QueryStarted(int64_t query_id, std::string_view call_site, int64_t time_ms) {
  if (jobs_.size() >= kMostActions) return;
  Action& action = FindOrMake({true, query_id});
  action.query_id = query_id;
  action.started_ms = time_ms;
  if (!ParseCallSite(call_site).function.empty()) NameBy(call_site, action);  // else the user's own description
}

void DriverActions::Started(const JobStart& job) {
  if (!job.stages.empty()) EndUnreported();
  if (jobs_.size() >= kMostActions) return;  // jobs whose end was never reported
  const Key key = job.query_id ? Key(true, *job.query_id) : Key(false, job.job_id);
  Action& action = FindOrMake(key);
  if (action.started_ms == 0) action.started_ms = job.time_ms;
  action.query_id = job.query_id;
  ++action.running;
  if (action.jobs.size() < kMostJobs) action.jobs.push_back(job.job_id);
  for (int32_t stage : job.stages) {
    const bool is_new = std::find(action.stages.begin(), action.stages.end(), stage) == action.stages.end();
    if (is_new && action.stages.size() < kMostStages) action.stages.push_back(stage);
  }
  NameBy(job.call_site.empty() ? job.stage_name : job.call_site, action);
  if (action.built_at.empty()) action.built_at = BuiltAt(job);
  const bool broadcast = IsBroadcast(job);
  if (!broadcast && action.description.empty()) action.description = Cut(job.description);
  several_at_once_ = several_at_once_ || std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& other) { return other.second != key; });
  jobs_.insert_or_assign(job.job_id, key);
  if (job.stages.empty()) return;
  const int32_t wanted = *std::max_element(job.stages.begin(), job.stages.end());
  std::erase(failed_stages_, wanted);
  result_stages_.insert_or_assign(wanted, Wanted{key, job.job_id, broadcast, RowFor({wanted, job.job_id, broadcast, 0, 0, 0}, action)});
  stage_of_job_.insert_or_assign(job.job_id, wanted);
}

size_t DriverActions::RowFor(const Results& row, Action& action) const {
  if (action.results.size() < kMostResults) {
    action.results.push_back(row);
    return action.results.size() - 1;
  }
  size_t lightest = kNoRow;
  for (size_t i = 0; i < action.results.size(); ++i) {
    const Results& each = action.results[i];
    if (stage_of_job_.contains(each.job_id) || each.job_id == action.failed_job) continue;
    if (lightest == kNoRow || each.bytes < action.results[lightest].bytes) lightest = i;
  }
  if (lightest != kNoRow) action.results[lightest] = row;
  return lightest;
}

void DriverActions::Forget(int32_t result_stage, bool failed) {
  if (!failed) {
    result_stages_.erase(result_stage);
    return;
  }
  std::erase(failed_stages_, result_stage);
  failed_stages_.push_back(result_stage);
  if (failed_stages_.size() <= kMostLate) return;
  result_stages_.erase(failed_stages_.front());
  failed_stages_.pop_front();
}

DriverActions::Action* DriverActions::End(int32_t job_id, bool failed, int64_t time_ms) {
  if (auto stage = stage_of_job_.find(job_id); stage != stage_of_job_.end()) {
    done_.erase(stage->second);
    Forget(stage->second, failed);
    stage_of_job_.erase(stage);
  }
  const auto job = jobs_.find(job_id);
  if (job == jobs_.end()) return nullptr;
  Action& action = actions_.find(job->second)->second;  // an action with a running job is never dropped
  jobs_.erase(job);
  if (action.running > 0) --action.running;
  action.ended_ms = std::max(action.ended_ms, time_ms);
  return &action;
}

void DriverActions::StageSubmitted(int32_t stage_id) { done_.erase(stage_id); }

void DriverActions::StageCompleted(int32_t stage_id, int64_t time_ms) {
  const auto wanted = result_stages_.find(stage_id);
  if (wanted != result_stages_.end() && jobs_.contains(wanted->second.job_id)) done_.insert_or_assign(stage_id, time_ms);
}

// The thread of Spark that reports a job's last stage reports the job's end before anything of another job. Only jobs without a stage are
// reported by other threads, and a shuffle whose output an executor took along is computed again first: OfUnreported.
void DriverActions::EndUnreported() {
  const std::pmr::map<int32_t, int64_t> done = std::exchange(done_, std::pmr::map<int32_t, int64_t>(memory_));
  for (const auto& [stage_id, time_ms] : done) {
    const auto wanted = result_stages_.find(stage_id);
    const auto running = wanted == result_stages_.end() ? jobs_.end() : jobs_.find(wanted->second.job_id);
    if (running == jobs_.end()) continue;
    const auto [job_id, action] = *running;
    unreported_.insert_or_assign(job_id, action);
    if (unreported_.size() > kMostLate) unreported_.erase(unreported_.begin());
    End(job_id, false, time_ms)->last = Action::Last::kUnreported;
  }
}

DriverActions::Action* DriverActions::OfUnreported(int32_t job_id) {
  const auto known = unreported_.find(job_id);
  if (known == unreported_.end()) return nullptr;
  const auto action = actions_.find(known->second);
  unreported_.erase(known);
  return action == actions_.end() ? nullptr : &action->second;
}

void DriverActions::Ended(int32_t job_id, std::string_view failure, int64_t time_ms) {
  Action* ended = End(job_id, !failure.empty(), time_ms);
  if (ended == nullptr) {
    ended = OfUnreported(job_id);
    if (ended == nullptr) return;
    ended->ended_ms = std::max(ended->ended_ms, time_ms);
  }
  Action& action = *ended;
  // Spark cancels jobs of a query whose results it doesn't need.
  const bool cancelled = failure.find(fmt::format("Job {} cancelled", job_id)) != failure.npos;
  action.last = cancelled ? Action::Last::kCancelled : Action::Last::kReported;
  if (failure.empty()) newest_success_began_ms_ = std::max(newest_success_began_ms_, action.started_ms);
  if (failure.empty() || cancelled || action.failed_job) return;
  action.failed_job = job_id;
  action.failure = Cut(failure);
}

void DriverActions::Result(int32_t stage_id, uint64_t bytes) {
  const auto wanted = result_stages_.find(stage_id);
  if (wanted == result_stages_.end()) return;
  bytes = std::min(bytes, kMaxFigure);
  Action& action = actions_.find(wanted->second.action)->second;  // an action takes its entries along
  const size_t row = wanted->second.results;
  if (row != kNoRow && action.results[row].stage_id == stage_id) {  // else a later job of the action has it
    Results& results = action.results[row];
    ++results.tasks;
    results.bytes += bytes;
    results.largest = std::max(results.largest, bytes);
  }
  if (wanted->second.broadcast) {
    action.broadcast_bytes += bytes;
  } else {
    ++action.tasks;
    action.bytes += bytes;
  }
}

void DriverActions::MadeRows(int64_t query_id, std::optional<uint64_t> rows, bool broadcast) {
  const auto found = actions_.find({true, query_id});
  if (found == actions_.end()) return;
  Action::Rows& known = broadcast ? found->second.broadcast_rows : found->second.rows;
  known.unknown = known.unknown || !rows;
  known.sum = known.unknown ? std::nullopt : std::optional(std::min(known.sum.value_or(0) + std::min(*rows, kMaxFigure), kMaxFigure));
}

// Spark's listener bus drops events under load, and the end of a job may be among them.
const char* DriverActions::StatusOf(const Action& action) const {
  if (action.failed_job) return "failed";
  if (action.running != 0) return application_ended_ ? "unknown" : "running";
  if (action.last == Action::Last::kUnreported) return "unknown";
  return action.last == Action::Last::kCancelled ? "cancelled" : "complete";
}

ReportAction DriverActions::RowOf(const Action& action) const {
  ReportAction row;
  row.jobs.assign(action.jobs.begin(), action.jobs.end());
  row.stages.assign(action.stages.begin(), action.stages.end());
  std::sort(row.stages.begin(), row.stages.end());
  row.query_id = action.query_id;
  row.call_site = action.call_site;
  if (const CallSite site = ParseCallSite(action.call_site); site.of_user) {
    row.function = site.function;
    row.file = site.file;
    row.line = site.line;
  }
  row.built_at = ParsePlaces(action.built_at);
  row.description = action.description;
  row.status = StatusOf(action);
  row.failure_reason = action.failure;
  row.started_ms = action.started_ms;
  if (action.running == 0) row.ended_ms = action.ended_ms;
  row.result_tasks = action.tasks;
  row.result_bytes = action.bytes;
  row.result_rows = action.rows.sum;
  row.broadcast_bytes = action.broadcast_bytes;
  row.broadcast_rows = action.broadcast_rows.sum;
  for (const Results& results : action.results) {
    if (results.tasks == 0 && results.job_id != action.failed_job) continue;  // a shuffle's output, which stays on the executors
    row.results.push_back(
        {results.stage_id, results.job_id, results.broadcast, results.tasks, std::nullopt, results.bytes, results.largest});
  }
  std::stable_sort(row.results.begin(), row.results.end(), [](const auto& a, const auto& b) { return a.result_bytes > b.result_bytes; });
  return row;
}

std::vector<DriverActions::Key> DriverActions::ByWeight() const {
  std::vector<std::pair<uint64_t, Key>> weights;
  weights.reserve(actions_.size());
  for (const auto& [key, action] : actions_) weights.emplace_back(action.bytes + action.broadcast_bytes, key);
  std::stable_sort(weights.begin(), weights.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Key> keys;
  keys.reserve(weights.size());
  for (const auto& [weight, key] : weights) keys.push_back(key);
  return keys;
}

std::vector<ReportAction> DriverActions::Rows(size_t most, std::optional<ReportOtherActions>& others) const {
  ReportOtherActions rest = let_go_;
  std::vector<ReportAction> rows;
  for (const Key& key : ByWeight()) {
    const Action& action = actions_.find(key)->second;
    if (action.jobs.empty()) continue;
    if (rows.size() < most) {
      rows.push_back(RowOf(action));
    } else {
      Add(rest, action.tasks, action.bytes, action.broadcast_bytes);
    }
  }
  if (rest.actions != 0) others = rest;
  return rows;
}

std::optional<ReportAction> DriverActions::At(int64_t time_ms) const {
  ChargedAction<Action> charged(time_ms);
  for (const auto& [key, action] : actions_) {
    if (action.jobs.empty() || action.started_ms > time_ms) continue;
    const uint64_t brought = action.bytes + action.broadcast_bytes;
    if (action.running != 0 || action.ended_ms >= time_ms) {
      charged.OfferRunning(action, brought, action.started_ms);
    } else {
      charged.OfferEnded(action, brought, action.ended_ms);
    }
  }
  return charged.get() == nullptr ? std::nullopt : std::optional(RowOf(*charged.get()));
}

size_t DriverActions::Keep(size_t keep) {
  std::vector<Key> order = ByWeight();
  // Failed actions go last, because their jobs may have a post-mortem.
  std::stable_partition(order.begin(), order.end(), [&](const Key& key) { return actions_.find(key)->second.failed_job.has_value(); });
  size_t gone = 0;
  for (auto key = order.rbegin(); key != order.rend() && actions_.size() > keep; ++key) {
    const auto found = actions_.find(*key);
    const Action& action = found->second;
    if (action.running != 0) continue;
    if (!action.jobs.empty()) {
      Add(let_go_, action.tasks, action.bytes, action.broadcast_bytes);
      any_let_go_ = true;
    }
    std::erase_if(result_stages_, [key](const auto& wanted) { return wanted.second.action == *key; });
    actions_.erase(found);
    ++gone;
  }
  return gone;
}

}  // namespace memprof
