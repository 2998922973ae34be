// The containers of a pod that failed, as Spark repeats their statuses in an executor's removal reason
// (KubernetesUtils.containersDescription of Spark 3.5 and 4). Pure functions; any text is allowed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memprof {

// Spark's name of its own container, unless spark.kubernetes.executor.podTemplateContainerName gives another one.
inline constexpr std::string_view kSparkContainer = "spark-kubernetes-executor";

struct PodContainer {
  std::string name;
  bool ended = false;            // "terminated"; otherwise it runs, waits, or nothing is known
  std::optional<int> exit_code;  // of one that has ended
  bool oom_killed = false;       // the kernel has killed a process in it
  bool status_unknown = false;   // the kubelet could not find it when its pod ended, and made up 137
};

// In their order; empty: the text has none with a name. `lower`: the reason in lower case, as the names of containers are.
std::vector<PodContainer> PodContainersIn(std::string_view lower);

// Spark's own, by its name; a pod's only container whatever its name. nullptr: not known.
const PodContainer* SparksOwn(const std::vector<PodContainer>& containers, std::string_view spark_container);

// The one whose failure took the pod: one that was killed for its memory before another one that failed. nullptr: none of them failed.
const PodContainer* FirstFailed(const std::vector<PodContainer>& containers);

// "container fluent-bit (137, OOMKilled)".
std::string ContainerPhrase(const PodContainer& container);

}  // namespace memprof
