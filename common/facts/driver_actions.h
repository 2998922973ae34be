// DriverActions: results that came back to the driver, by the action that asked for them. An action is a Spark SQL query with all
// its jobs (shuffles and broadcasts are jobs of their own), or a job that belongs to no query. A task's result is counted as
// Spark counts it against spark.driver.maxResultSize. Bounded: beyond kMostActions, the lightest ended actions are only summed
// up; of the jobs of one action, the kMostResults heaviest and those that run have a row. Used under the store's mutex.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/driver_model.h"

namespace memprof {

struct JobStart {
  int32_t job_id = 0;
  std::vector<int32_t> stages;   // the one with the highest number is the one whose results the job wants
  std::string_view stage_name;   // of that one
  std::string_view call_site;    // as PySpark gave it; empty: it didn't
  std::string_view built_at;     // the action's own place, and below it those that built its plan (ParsePlaces); empty: not known
  std::string_view description;  // spark.job.description
  std::string_view tags;         // spark.job.tags
  std::optional<int64_t> query_id;
  int64_t time_ms = 0;
};

class DriverActions {
 public:
  static constexpr size_t kMostActions = 1000, kMostJobs = 64, kMostStages = 256, kMostResults = 32, kMostLate = 64;

  explicit DriverActions(std::pmr::memory_resource* memory) : memory_(memory), actions_(memory), jobs_(memory), result_stages_(memory) {}

  void QueryStarted(int64_t query_id, std::string_view call_site, int64_t time_ms);  // of Spark SQL, before its jobs
  void Started(const JobStart& job);
  void Ended(int32_t job_id, std::string_view failure, int64_t time_ms);  // failure empty: it succeeded
  // Of stages whose results a job wants. If another job starts, the end of a job whose stage has succeeded was never reported: it has
  // ended, and its status is not known.
  void StageSubmitted(int32_t stage_id);
  void StageCompleted(int32_t stage_id, int64_t time_ms);  // it succeeded
  void ApplicationEnded() { application_ended_ = true; }   // what seems to run has ended with it, or before; its end may still be reported
  // Of a task of a stage; ignored unless a job wants its results. Those of a job that failed may come after its end: Spark
  // reports the failure at once, though results that arrived before it are still in a queue, and some tasks run on.
  void Result(int32_t stage_id, uint64_t bytes);
  // By a task, of its result or of a table to broadcast; nullopt: they will not be known.
  void MadeRows(int64_t query_id, std::optional<uint64_t> rows, bool broadcast);

  // `visit(action, job that failed)`: those that failed, in the order of their first jobs.
  template <typename Visit>
  void ForEachFailed(Visit visit) const {
    for (const auto& [key, action] : actions_) {
      if (action.failed_job) visit(RowOf(action), *action.failed_job);
    }
  }
  std::optional<ReportAction> At(int64_t time_ms) const;  // the action that this moment is charged to (facts/charged_action.h)
  bool empty() const;
  // When the newest of the actions began of which a job has succeeded; 0: none.
  int64_t newest_success_began_ms() const { return newest_success_began_ms_; }
  // Jobs of two actions have run at one time, or seemed to: several threads of the program may have begun them.
  bool several_at_once() const { return several_at_once_; }

  // Largest results first; `others`: the sums of those beyond `most`, and of those dropped.
  std::vector<ReportAction> Rows(size_t most, std::optional<ReportOtherActions>& others) const;

  // Drops the lightest ended actions until `keep` are left. Returns how many were dropped.
  size_t Keep(size_t keep);

 private:
  using Key = std::pair<bool, int64_t>;  // of a query, its id or the job's
  struct Results {
    int32_t stage_id = 0, job_id = 0;
    bool broadcast = false;
    uint64_t tasks = 0, bytes = 0, largest = 0;
  };
  struct Action {
    explicit Action(std::pmr::memory_resource* memory)
        : jobs(memory), stages(memory), call_site(memory), built_at(memory), description(memory), failure(memory), results(memory) {}
    std::pmr::vector<int32_t> jobs, stages;
    std::optional<int64_t> query_id;
    std::pmr::string call_site, built_at, description, failure;
    int call_site_rank = -1;
    std::optional<int32_t> failed_job;
    enum class Last : uint8_t { kReported, kCancelled, kUnreported };
    Last last = Last::kReported;  // of the last job that ended
    uint32_t running = 0;
    int64_t started_ms = 0, ended_ms = 0;
    uint64_t tasks = 0, bytes = 0, broadcast_bytes = 0;
    struct Rows {
      std::optional<uint64_t> sum;
      bool unknown = false;
    };
    Rows rows, broadcast_rows;
    std::pmr::vector<Results> results;
  };
  static constexpr size_t kNoRow = ~size_t{0};
  struct Wanted {
    Key action;
    int32_t job_id;  // the last one that wanted it
    bool broadcast;
    size_t results;  // index into its results, or kNoRow
  };

  Action& FindOrMake(const Key& key);
  size_t RowFor(const Results& row, Action& action) const;  // its index; kNoRow: all others run
  static void NameBy(std::string_view call_site, Action& action);
  ReportAction RowOf(const Action& action) const;
  const char* StatusOf(const Action& action) const;
  Action* End(int32_t job_id, bool failed, int64_t time_ms);  // null: it isn't known
  void EndUnreported();
  Action* OfUnreported(int32_t job_id);  // null: it isn't one
  void Forget(int32_t result_stage, bool failed);
  std::vector<Key> ByWeight() const;  // most bytes first

  std::pmr::memory_resource* memory_;
  std::pmr::map<Key, Action> actions_;
  std::pmr::unordered_map<int32_t, Key> jobs_;              // that run
  std::pmr::unordered_map<int32_t, Wanted> result_stages_;  // of these, and of the kMostLate that failed last
  std::pmr::unordered_map<int32_t, int32_t> stage_of_job_{memory_};
  std::pmr::map<int32_t, int64_t> done_{memory_};    // result stages that have succeeded, of jobs that run, and when
  std::pmr::map<int32_t, Key> unreported_{memory_};  // the last kMostLate jobs that EndUnreported has ended
  std::pmr::deque<int32_t> failed_stages_{memory_};  // oldest first
  bool application_ended_ = false;
  int64_t newest_success_began_ms_ = 0;
  bool several_at_once_ = false;
  ReportOtherActions let_go_;
  bool any_let_go_ = false;
};

}  // namespace memprof
