#include "postmortem/unsaid_end.h"

#include <fmt/format.h>

#include <algorithm>

#include "postmortem/use_at_death.h"
#include "report/units.h"

namespace memprof {
namespace {

// Others end a container before it meets its limit, too: systemd-oomd by the time that it waits for memory, cluster managers by what
// they granted.
bool AnotherKillerMayHave(const DeathEvidence& evidence) { return HostsKillerMayHave(evidence) || IsNearLimit(evidence); }

std::string KilledThere(const DeathEvidence& evidence) {
  return evidence.kills_of_any_time ? "; the kernel killed something in its cgroup for want of memory, then or at another time" : "";
}

std::string KilledOnHost(const DeathEvidence& evidence) {
  return evidence.host_kills_rose ? "; the kernel killed something on its host meanwhile, for want of memory" : "";
}

// YARN without cgroups: the check of its NodeManager ends who takes more than was granted by a status of its own, and with words. Its
// elastic control of a full group ends one of the containers in it without.
bool WouldYarnSay(const DeathEvidence& evidence) {
  const bool elastic = evidence.host_is_group && HostsKillerMayHave(evidence);
  return evidence.limit_is_yarns && evidence.loss.exit_code && !elastic;
}

// Beside a use near the limit, which decides alone then.
std::string CountPhrase(const DeathEvidence& evidence) {
  const std::string killed = KilledOnHost(evidence) + KilledThere(evidence);
  return killed.empty() ? "; whether the kernel killed it is not known" : killed;
}

// A collection stops the JVM, which then sends nothing. Meanwhile the heap grows, and Python workers go on.
bool MayHaveFilledSince(const DeathEvidence& evidence) {
  if (evidence.limit_is_hosts || evidence.seen_gone || !evidence.limit_bytes || !evidence.used_bytes) return false;
  const uint64_t room = *evidence.limit_bytes - std::min(*evidence.limit_bytes, *evidence.used_bytes);
  const auto age_ms = static_cast<uint64_t>(std::max<int64_t>(0, evidence.sample_age_ms.value_or(0)));
  return room < kFillsPerSecond / 1000 * age_ms;
}

std::string FilledSince(const DeathEvidence& evidence) {
  const uint64_t room = *evidence.limit_bytes - std::min(*evidence.limit_bytes, *evidence.used_bytes);
  return fmt::format(", {} before its end; {} were free then, and may have been filled since: a JVM that a collection stops sends nothing",
                     FormatDuration(evidence.sample_age_ms.value_or(0)), FormatBytes(room));
}

std::string OtherOfWorker(const DeathEvidence& evidence) {
  if (evidence.worker_took_too.empty()) return "";
  return fmt::format("; executor {} of the same Worker was lost with it, far from any limit", evidence.worker_took_too);
}

// All that Spark knows is that a connection broke. The executor may live. One that stood still near its limit most likely does.
Verdict OfLostConnection(const DeathEvidence& evidence, const std::string& how) {
  if (evidence.limit_is_hosts && HostShare(evidence) >= kFullHost && evidence.host_kills_rose) {
    const bool was_most = ShareOf(evidence.used_bytes, evidence.limit_bytes) >= kMostOfHost;
    return {.out_of_memory = true,
            .of_host = !was_most,
            .how = fmt::format("{}{}; {}{}", how, HostsLimitPhrase(evidence), TogetherPhrase(evidence), KilledOnHost(evidence))};
  }
  if (IsNearLimit(evidence) && evidence.rose_lately)
    return {.out_of_memory = true, .how = how + ", which had risen shortly before" + CountPhrase(evidence)};
  const std::string host = HostsKillerMayHave(evidence) ? "; " + OnHostTogetherPhrase(evidence) : "";
  return {.unknown = true,
          .how = how + KilledOnHost(evidence) + KilledThere(evidence) + host + "; a broken connection, a crash and a kill look alike"};
}

// A Worker that crashes takes its executors along, whatever they use. So does the end of a pod in which both are. But what fills one
// executor's container takes no other one along that is far from its own limit. And of a full host the kernel takes one process, whose end
// its Worker would tell.
Verdict OfLostWorker(const DeathEvidence& evidence, const std::string& how) {
  const bool is_fresh = evidence.sample_age_ms.value_or(0) < kStaleSampleMs;
  const bool had_filled = ShareOf(evidence.used_bytes, evidence.limit_bytes) >= kFilled && IsNearLimit(evidence);
  const bool may_be_its_pods = !evidence.limit_is_hosts && evidence.worker_took_too.empty();
  if (had_filled && evidence.rose_lately && is_fresh && !evidence.kernel_kills && may_be_its_pods)
    return {.out_of_memory = true, .how = how + ", which had risen shortly before; its standalone Worker is gone, too"};
  return {.unknown = true,
          .with_worker = true,
          .how = how + FoundNothing(evidence) + KilledOnHost(evidence) + OtherOfWorker(evidence) +
                 "; its standalone Worker is gone, and executors end with theirs, whatever they use"};
}

// It was near its limit, and nobody knows whether the kernel killed it.
Verdict OfNearLimit(const DeathEvidence& evidence, const std::string& how) {
  const double host = HostShare(evidence);
  const bool by_others = WouldYarnSay(evidence);
  if (by_others && evidence.host_kills_rose && (host < 0 || HostsKillerMayHave(evidence)))
    return {.out_of_memory = true, .of_host = true, .how = how + KilledOnHost(evidence)};
  if (evidence.loss.oom_unsaid) {
    return {.unknown = true,
            .maybe_of_memory = true,
            .not_by = "the kernel, as far as Kubernetes knows (it doesn't say OOMKilled)",
            .maybe_by = "the kernel all the same, or a killer of its node,",
            .how = how + CountPhrase(evidence) + "; Kubernetes says OOMKilled where it knows of the kernel's kill, and doesn't here"};
  }
  if (by_others) {
    return {.unknown = true,
            .maybe_of_memory = true,
            .not_by = "YARN, which would say so",
            .maybe_by = "the kernel, earlyoom or systemd-oomd",
            .how = fmt::format(
                "{}{}; where YARN's NodeManager ends a container for that limit, it says so, and it did not; the kernel may have "
                "killed it, for want of the host's memory or of a group's that YARN does not tell of",
                how, KilledOnHost(evidence))};
  }
  return {.out_of_memory = true, .how = how + CountPhrase(evidence)};
}

}  // namespace

Verdict ByUse(const DeathEvidence& evidence) {
  std::string how = EndPhrase(evidence.loss);
  const double share = ShareOf(evidence.used_bytes, evidence.limit_bytes);
  const std::string use = UseThen(evidence);
  if (evidence.loss.silent)
    return {.unknown = true,
            .how = how + use + "; nobody has heard from it: a kill, a long pause, a broken connection and a lost node look alike"};
  if (evidence.loss.with_worker) return OfLostWorker(evidence, how + use);
  if (evidence.kernel_kills) {  // 0: the kernel did not do it
    const std::string found = FoundNothing(evidence);
    if (AnotherKillerMayHave(evidence)) {
      const bool nor_yarn = WouldYarnSay(evidence);
      Verdict verdict{
          .unknown = true,
          .maybe_of_memory = IsNearLimit(evidence) && evidence.sample_age_ms.value_or(0) < kStaleSampleMs,
          .how = fmt::format("{}{}{}, but {}the host's own killer (earlyoom, systemd-oomd) may have killed it{}", how, use, found,
                             nor_yarn ? "" : "the cluster's or ", evidence.loss.exit_code ? "" : "; or it crashed, or ended itself")};
      if (nor_yarn) {
        verdict.not_by = "the kernel, nor by YARN, which would say so";
        verdict.maybe_by = "earlyoom or systemd-oomd";
      }
      return verdict;
    }
    if (!evidence.used_bytes && !evidence.limit_is_hosts) return {.unknown = true, .how = how + found + "; its use of memory is not known"};
    if (!evidence.loss.exit_code) return {.unknown = true, .how = how + use + found + "; it may have crashed, or ended itself"};
    return {.how = how + found + ": killed from outside"};
  }
  if (share < 0) return {.unknown = true, .how = how + "; its use of memory is not known"};
  const int64_t age_ms = evidence.sample_age_ms.value_or(0);
  how += use;
  if (age_ms >= kStaleSampleMs)
    return {.unknown = true, .how = fmt::format("{}, which was {} old{}", how, FormatDuration(age_ms), KilledThere(evidence))};
  if (!evidence.loss.exit_code && !evidence.seen_gone) return OfLostConnection(evidence, how);
  const double host = HostShare(evidence);
  const bool counted_twice = CountsTwice(evidence);
  if (IsNearLimit(evidence)) return OfNearLimit(evidence, how);
  if (share >= kNearLimit) how += ", where pages that its processes share count for each of them";
  if (const double before = ShareOf(evidence.used_before_bytes, evidence.limit_bytes); before >= kNearLimit && !counted_twice)
    return {.unknown = true,
            .how = fmt::format("{}, without what workers had held that died since; with it {}", how, FormatPercent(before, 1))};
  const std::string together = TogetherPhrase(evidence), hosts_limit = HostsLimitPhrase(evidence);
  if (evidence.limit_is_hosts && host >= kFullHost) {
    return {.out_of_memory = true, .of_host = share < kMostOfHost, .how = fmt::format("{}{}; {}", how, hosts_limit, together)};
  }
  if (evidence.host_kills_rose)  // where nobody could say of which cgroup
    return {.unknown = true, .how = how + KilledOnHost(evidence)};
  if (evidence.kills_of_any_time) return {.unknown = true, .how = how + KilledThere(evidence)};
  if (evidence.limit_is_unseen)
    return {.unknown = true, .how = how + hosts_limit + "; whether a container limits it lower can't be seen from inside"};
  if (MayHaveFilledSince(evidence)) return {.unknown = true, .how = how + FilledSince(evidence)};
  const bool stale = age_ms >= kStaleHostSampleMs;
  if (!evidence.limit_is_hosts && host < (stale ? kNearLimit : kKillersAct)) return {.how = how};
  if (!evidence.limit_is_hosts)
    return {.unknown = true,
            .how = fmt::format("{}; but its {} was {}full: {}", how, HostPhrase(evidence), host < kFullHost ? "nearly " : "", together)};
  if (host < 0) return {.unknown = true, .how = how + hosts_limit + "; how much others used of it is not known"};
  how += fmt::format("{}; {}", hosts_limit, together);
  if (stale) return {.unknown = true, .how = fmt::format("{}, measured {} before its end", how, FormatDuration(age_ms))};
  if (HostsKillerMayHave(evidence)) return {.unknown = true, .how = how + "; a killer of the host's own may have acted"};
  return {.unknown = share >= kNearLimit && host >= kMostOfHost, .how = how};
}

}  // namespace memprof
