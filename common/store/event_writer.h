// EventWriter: which parts of the report go into Spark's event log, and when (eventlog/event_parts.h). A stage is written a
// little after it has completed, when the last profiles and names have arrived; an executor when it was removed; a post-mortem
// when it is reported. Running executors and the application as a whole are written at growing intervals. At the application's
// end everything that is new or has changed since is written, and every post-mortem once more, because Spark's bus drops events
// under load.
//
// What is written while the application runs takes at most half of a part's bound, so that there is room for the record at the
// end. Not thread-safe; used under the store's mutex.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "eventlog/event_parts.h"
#include "rollup/state.h"

namespace memprof {

class EventWriter {
 public:
  static constexpr size_t kMostStages = 45'000;

  // `patience`: factor on the time that a stage has for late messages. `most_stages`: beyond so many parts of stages the others wait for
  // the end, so that there is room for what is not of a stage.
  explicit EventWriter(int patience, size_t most_stages = kMostStages) : patience_(patience), most_stages_(most_stages) {}

  // The parts to write now. `end`: the application ends, and nothing comes later. `with_source`: with the text of source lines.
  std::vector<ReportEvent> Take(const StoreState& state, int64_t now_ms, bool end, bool with_source);

  // A death was reported: its post-mortem is due.
  void NoteDeaths() { deaths_due_ = true; }

 private:
  struct Written {
    uint64_t hash = 0;
    size_t bytes = 0;      // in the log, all records together
    size_t cut = 0;        // of the newest record
    bool settled = false;  // nothing more is expected before the end
  };
  using MakeText = std::function<std::optional<PartText>(size_t bytes)>;

  bool IsSettled(std::string_view part, std::string_view id) const;
  bool IsFull(std::string_view part) const;  // no other of that kind is taken before the end
  void Write(std::string_view part, std::string id, size_t bound, bool settled, bool end, const MakeText& make);
  std::vector<StageKey> DueStages(const StoreState& state, int64_t now_ms, bool end) const;
  void WriteStages(const std::vector<StageKey>& keys, const StoreState& state, bool end, bool with_source);
  void WriteNewlyRemoved(const StoreState& state);
  void WriteExecutors(const std::vector<ReportExecutor>& executors, bool running_ones, bool end);
  void TakeBack(const Report& report, bool end);
  void WriteApplication(Report report, const StoreState& state, bool end);

  int patience_;
  size_t most_stages_;
  size_t stages_ = 0;                                                            // parts of them in `written_`
  std::map<std::pair<std::string, std::string>, Written, std::less<>> written_;  // by part and id
  std::vector<ReportEvent> events_;
  uint64_t seen_executor_events_ = 0;  // by the last look for removed executors
  bool deaths_due_ = false, ended_ = false;
  int64_t next_whole_ms_ = 0, pause_ms_ = 0;  // when running executors and the application are written again
};

}  // namespace memprof
