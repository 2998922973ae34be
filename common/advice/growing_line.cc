// A line of the user's code that leaves more behind with every task of a reused worker.
#include <fmt/format.h>

#include "advice/findings.h"
#include "report/digest.h"

namespace memprof {

std::optional<ReportFinding> FindGrowingLine(const ReportLeak& leak) {
  ReportFinding finding;
  finding.executor_id = leak.largest.executor_id;
  finding.headline = fmt::format("{} {} leaves more behind with every task: {}{}.", LinePlace(leak.file, leak.line), leak.function,
                                 LeakPhrase(leak), LeakWorkersPhrase(leak));
  finding.advice = {
      {"", "", "", "bound what the line keeps from task to task: a list or dict of a module, a cache without a largest size"},
      {"spark.python.worker.reuse", "true", "false",
       "a worker then ends with its task, and all that it kept with it; the next task starts a new one and imports everything anew"}};
  return finding;
}

}  // namespace memprof
