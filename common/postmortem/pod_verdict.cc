#include "postmortem/pod_verdict.h"

#include <fmt/format.h>

#include "postmortem/use_at_death.h"

namespace memprof {

bool EndsOfOutOfMemory(const PodContainer& container) {
  return !container.oom_killed && container.exit_code && IsCodeOfOutOfMemory(*container.exit_code);
}

Verdict JudgePod(const DeathEvidence& evidence) {
  const PodContainer& failed = *evidence.loss.container;
  const std::string phrase = ContainerPhrase(failed);
  if (evidence.loss.kind == LossKind::kBeside) {
    return {.of_container = phrase,
            .how = fmt::format("{} of its pod failed, and Spark took the pod away, as spark.kubernetes.executor.checkAllContainers says{}",
                               phrase, failed.oom_killed ? "; the limit that was too small is that container's own" : "")};
  }
  const bool had_filled = IsNearLimit(evidence) && evidence.rose_lately && evidence.sample_age_ms.value_or(0) < kStaleSampleMs;
  const bool of_memory = failed.oom_killed && had_filled;
  return {.out_of_memory = of_memory,
          .unknown = !of_memory,
          .how = fmt::format("{} of its pod failed; whether it is Spark's own is not known: "
                             "spark.kubernetes.executor.podTemplateContainerName would say so{}",
                             phrase, of_memory ? "; but the executor's use had just risen to near its limit" : "")};
}

}  // namespace memprof
