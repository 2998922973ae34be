// EventWriter: which parts of the report go into Spark's event log, and when (report/event_parts.h). A stage goes there a little after
// it has completed, when the last profiles and names have come; an executor when it was removed; a post-mortem when it is told; what
// runs, and the application as a whole, ever more rarely; and at the application's end everything that is new or has changed since.
//
// What is written while the application runs takes at most half of a part's bound, so that there is room for the last word.
// Not thread-safe; used under the store's mutex.
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
  // What is to be written now. `end`: the application ends, nothing comes after it. `with_source`: with the text of source lines.
  std::vector<ReportEvent> Take(const StoreState& state, int64_t now_ms, bool end, bool with_source);

  // A death was told: its post-mortem is due.
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
  void Write(std::string_view part, std::string id, size_t bound, bool settled, bool end, const MakeText& make);
  std::vector<StageKey> DueStages(const StoreState& state, int64_t now_ms, bool end) const;
  void WriteStages(const std::vector<StageKey>& keys, const StoreState& state, bool end, bool with_source);
  void WriteExecutors(const std::vector<ReportExecutor>& executors, bool running_ones, bool end);
  void WriteApplication(Report report, const StoreState& state, bool end);

  std::map<std::pair<std::string, std::string>, Written, std::less<>> written_;  // by part and id
  std::vector<ReportEvent> events_;
  bool deaths_due_ = false, ended_ = false;
  int64_t next_whole_ms_ = 0, pause_ms_ = 0;  // when what runs goes there again
};

}  // namespace memprof
