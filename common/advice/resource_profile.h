// Advice for an executor of a ResourceProfile (stage-level scheduling). Pure.
#pragma once

#include <vector>

#include "report/model.h"

namespace memprof {

// Makes advice on settings that the executor's profile overrides into words: what to ask for in that profile.
void AdviseByProfile(const ReportExecutor& executor, std::vector<ReportAdvice>& pieces);

}  // namespace memprof
