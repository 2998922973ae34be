// A host whose memory was full, or that evicted an executor to get some back: no setting of this executor's limit helps.
#include <fmt/format.h>

#include "advice/figures.h"
#include "report/units.h"

namespace memprof {

ReportAdvice AdviseFullHost(const AdviceInput& input) {
  if (input.executor->host_is_group) {
    return {"", "", "",
            fmt::format("fewer or smaller containers under that NodeManager, or a larger limit for its control group: the {} of it ran "
                        "short, of which this executor had {}",
                        FormatBytes(input.executor->host_memory_bytes.value_or(0)), FormatBytes(UsedInAll(input)))};
  }
  return {
      "", "", "",
      fmt::format("fewer executors or other programs on that host, or smaller ones: its memory{} ran short, of which this executor had {}",
                  input.executor->host_memory_bytes ? fmt::format(" of {}", FormatBytes(*input.executor->host_memory_bytes)) : "",
                  FormatBytes(UsedInAll(input)))};
}

}  // namespace memprof
