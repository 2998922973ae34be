#include "postmortem/pod_verdict.h"

#include <fmt/format.h>

namespace memprof {

Verdict JudgePod(const DeathEvidence& evidence) {
  const PodContainer& failed = *evidence.loss.container;
  const std::string phrase = ContainerPhrase(failed);
  if (evidence.loss.kind == LossKind::kBeside) {
    return {.of_container = phrase,
            .how = fmt::format("{} of its pod failed, and Spark took the pod away, as spark.kubernetes.executor.checkAllContainers says{}",
                               phrase, failed.oom_killed ? "; the limit that was too small is that container's own" : "")};
  }
  const double limit = static_cast<double>(evidence.limit_bytes.value_or(0));
  const bool near_limit = limit > 0 && static_cast<double>(evidence.used_bytes.value_or(0)) >= kNearLimit * limit;
  const bool of_memory = failed.oom_killed && near_limit;
  return {.out_of_memory = of_memory,
          .unknown = !of_memory,
          .how = fmt::format("{} of its pod failed; whether it is Spark's own is not known: "
                             "spark.kubernetes.executor.podTemplateContainerName would say so{}",
                             phrase, of_memory ? ", but this one was near its limit" : "")};
}

}  // namespace memprof
