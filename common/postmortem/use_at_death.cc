#include "postmortem/use_at_death.h"

#include <fmt/format.h>

#include "report/units.h"

namespace memprof {

double ShareOf(std::optional<uint64_t> part, std::optional<uint64_t> whole) {
  if (!part || whole.value_or(0) == 0) return -1;
  return static_cast<double>(*part) / static_cast<double>(*whole);
}

double HostShare(const DeathEvidence& evidence) {
  const std::optional<uint64_t> host =
      evidence.host_memory_bytes || !evidence.limit_is_hosts ? evidence.host_memory_bytes : evidence.limit_bytes;
  const double available = ShareOf(evidence.host_available_bytes, host);
  return available < 0 ? -1 : 1 - available;
}

std::string HostPhrase(const DeathEvidence& evidence) { return evidence.host_is_group ? "NodeManager's control group" : "host"; }

std::string HostsLimitPhrase(const DeathEvidence& evidence) {
  return evidence.host_is_group ? ", which is the limit of its NodeManager's control group" : ", which is the host's memory";
}

std::string OnHostTogetherPhrase(const DeathEvidence& evidence) {
  return fmt::format("all {} its {} together used {}", evidence.host_is_group ? "in" : "on", HostPhrase(evidence),
                     FormatPercent(HostShare(evidence), 1));
}

std::string TogetherPhrase(const DeathEvidence& evidence) {
  return fmt::format("all {} it together used {}", evidence.host_is_group ? "in" : "on", FormatPercent(HostShare(evidence), 1));
}

bool CountsTwice(const DeathEvidence& evidence) {
  const double host = HostShare(evidence);
  if (!evidence.limit_is_hosts || host < 0) return false;
  return host < kMostOfHost || (ShareOf(evidence.used_bytes, evidence.limit_bytes) > 1 && host < kNearLimit);
}

bool HostsKillerMayHave(const DeathEvidence& evidence) { return HostShare(evidence) >= kKillersAct; }

bool IsNearLimit(const DeathEvidence& evidence) {
  return ShareOf(evidence.used_bytes, evidence.limit_bytes) >= kNearLimit && !CountsTwice(evidence);
}

std::string EndPhrase(const LossReason& loss) {
  if (loss.yarn_status) return fmt::format("YARN gives status {} and no exit code", *loss.yarn_status);
  return loss.exit_code ? "exit code " + ExitCodePhrase(*loss.exit_code) : "Spark gives no exit code";
}

std::string UseThen(const DeathEvidence& evidence) {
  const double share = ShareOf(evidence.used_bytes, evidence.limit_bytes);
  return share < 0 ? "" : fmt::format(", with {} of the limit in use at the last sample", FormatPercent(share, 1));
}

std::string FoundNothing(const DeathEvidence& evidence) {
  if (!evidence.kernel_kills) return "";
  return fmt::format("; {} found that the kernel killed nothing {}", evidence.counted_by,
                     evidence.counted_on_host ? "there" : "in its cgroup");
}

}  // namespace memprof
