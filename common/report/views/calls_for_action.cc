#include "report/model.h"
#include "report/views/views.h"

namespace memprof {

bool CallsForAction(const Report& report) {
  const bool end_was_seen = !report.unfinished && report.application.ended_ms.has_value();
  return !report.post_mortems.empty() || !report.findings.empty() || !end_was_seen;
}

}  // namespace memprof
