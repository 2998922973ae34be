#include "postmortem/failure_note.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace memprof {
namespace {

constexpr std::string_view kHeapError = "java.lang.OutOfMemoryError";
constexpr std::string_view kBroadcastError = "Not enough memory to build and broadcast";  // of Spark 4, without the error
constexpr std::string_view kOfJob = "Job aborted due to stage failure";                   // which job's will be known
constexpr std::string_view kStopped = "because SparkContext was shut down";               // of a job that was under way then
constexpr int64_t kSameFailureMs = 60'000;
// Of a worker that was killed PySpark says the second or the third. Missing output is what is left of executors lost again and again.
constexpr std::array<std::string_view, 10> kWordsOfDeaths = {
    "ExecutorLostFailure",
    "Python worker exited unexpectedly",
    "java.net.SocketException: Connection reset",
    kHeapError,
    kBroadcastError,
    "MemoryError",
    "std::bad_alloc",
    "FetchFailedException",
    "spark.driver.maxResultSize",
    kStopped,
};

std::optional<int64_t> LostExecutor(std::string_view text) {
  constexpr std::string_view kWords = "ExecutorLostFailure (executor ";
  const size_t at = text.rfind(kWords);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + kWords.size());
  int64_t executor = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), executor).ec != std::errc()) return std::nullopt;
  return executor;
}

template <typename Fits>
const ReportPostMortem* Last(const std::vector<ReportPostMortem>& deaths, Fits fits) {
  const ReportPostMortem* last = nullptr;
  for (const ReportPostMortem& death : deaths) {
    if (fits(death) && (last == nullptr || death.time_ms >= last->time_ms)) last = &death;
  }
  return last;
}

const ReportPostMortem* DeathOfJob(std::string_view failure, const FailedJob& job, const std::vector<ReportPostMortem>& deaths) {
  if (const ReportPostMortem* asked = Last(deaths, [&](const auto& death) { return death.job_id == job.job_id; })) return asked;
  if (const std::optional<int64_t> lost = LostExecutor(failure)) {
    const std::string executor = std::to_string(*lost);
    return Last(deaths, [&](const auto& death) { return death.process != "python-worker" && death.executor_id == executor; });
  }
  return Last(deaths, [&](const auto& death) {
    if (!death.stage_id || !job.stages.contains(*death.stage_id)) return false;
    return !job.task || !death.task_attempt_id || *death.task_attempt_id == *job.task;
  });
}

// The driver's heap also runs out when the jobs of an action have ended well.
const ReportPostMortem* FullHeapOfDriver(const std::vector<ReportPostMortem>& deaths, int64_t now_ms) {
  return Last(deaths, [&](const auto& death) {
    const bool of_a_job = death.job_id && !death.heap;
    return death.executor_id == "driver" && death.process == "jvm" && !of_a_job && !death.stage_id &&
           now_ms - death.time_ms <= kSameFailureMs;
  });
}

}  // namespace

bool TellsOfDeath(std::string_view failure) {
  return std::any_of(kWordsOfDeaths.begin(), kWordsOfDeaths.end(),
                     [&](std::string_view words) { return failure.find(words) != failure.npos; });
}

bool TellsOfFullHeap(std::string_view failure) {
  return failure.find(kHeapError) != failure.npos || failure.find(kBroadcastError) != failure.npos;
}

const ReportPostMortem* DeathOf(std::string_view failure, const std::optional<FailedJob>& job, const std::vector<ReportPostMortem>& deaths,
                                int64_t now_ms) {
  if (!TellsOfDeath(failure)) return nullptr;
  if (failure.find(kStopped) != failure.npos) return FullHeapOfDriver(deaths, now_ms);  // Spark stops its context of it
  if (job) return DeathOfJob(failure, *job, deaths);
  if (!TellsOfFullHeap(failure) || failure.find(kOfJob) != failure.npos) return nullptr;
  return FullHeapOfDriver(deaths, now_ms);
}

}  // namespace memprof
