// The limit that could have killed an executor's processes, and what is known of the host's memory. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "budget/budget.h"
#include "postmortem/verdict.h"
#include "proto/memprof.pb.h"
#include "report/model.h"

namespace memprof {

// A limit that nobody enforces kills nobody: then the host's memory is what there is.
inline std::optional<uint64_t> KillingLimit(const ReportExecutor& executor) {
  return executor.limit_enforced && executor.limit_bytes ? executor.limit_bytes : executor.host_memory_bytes;
}

// What all processes of the host used. Where no container bounds the executor, it decides.
// `settings`: of the application.
inline void PutHost(const ReportExecutor& executor, const proto::Moment& moment, const SparkSettings& settings, DeathEvidence& evidence) {
  evidence.limit_is_yarns = IsOnYarn(&settings) && executor.limit_source == "spark" && executor.limit_enforced;
  evidence.limit_is_hosts = !executor.limit_enforced || !executor.limit_bytes || executor.limit_source == "host";
  evidence.limit_is_unseen = evidence.limit_is_hosts && executor.limit_unseen;
  evidence.host_memory_bytes = executor.host_memory_bytes;
  evidence.host_is_group = executor.host_is_group;
  if (moment.has_host_available_bytes()) evidence.host_available_bytes = moment.host_available_bytes();
}

}  // namespace memprof
