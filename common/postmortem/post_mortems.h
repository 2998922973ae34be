// Post-mortems: one for each executor and each Python worker that died, made from what has arrived about it. Executors that were
// removed on purpose (dynamic allocation, decommission, preemption, the application's end) have none, and neither has a worker
// that Spark ended with its task.
//
// They are made again for each report from the store's state. So a late message changes them, but the order of arrival does not.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// Within the bounds of report/many_deaths.h.
struct PostMortemRows {
  std::vector<ReportPostMortem> shown;   // in the order of the deaths
  std::vector<ReportOtherDeath> others;  // newest first
  size_t dropped = 0;                    // for which there was no room
};

// `executors`: rows that the report has made; others are made as needed. `awaits_names` becomes true when a site shown awaits a name.
PostMortemRows PostMortems(const StoreState& state, const std::vector<ReportExecutor>& executors, bool& awaits_names);

// How many there are, with those for which there is no room. No verdict is made.
size_t CountDeaths(const StoreState& state);

// In full, those of these keys (report/death_keys.h), in the order of the deaths. The work is that of the deaths wanted, not of all.
std::vector<ReportPostMortem> PostMortemsOf(const StoreState& state, const std::set<std::string>& keys);

// Sites of one task at its last sample, as a post-mortem of its worker has them. Empty: it has sent no profile.
std::vector<ReportSite> SitesHeldBy(int64_t task_attempt_id, const StoreState& state);

}  // namespace memprof
