// Tasks of one stage, and what a store says of them.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/profile_builder.h"
#include "store/profile_store.h"

namespace memprof::testing {

using Json = nlohmann::json;

inline constexpr uint64_t kScratch = 399'999'971;  // bytes nobody else allocates
inline constexpr int kStage = 2;

inline Json ReportOf(const ProfileStore& store) { return Json::parse(store.ReportJson(false)); }
inline Json StageOf(const ProfileStore& store) { return ReportOf(store)["stages"].at(0); }

inline void Ingest(ProfileStore& store, const std::string& bytes) {
  Status status = store.Ingest(bytes);
  ASSERT_TRUE(status.ok()) << status.message();
}

inline void End(ProfileStore& store, int64_t id, int partition, TaskOutcome outcome = TaskOutcome::kSucceeded, int64_t time_ms = 100,
                const char* error = "") {
  store.TaskEnded({id, kStage, 0, partition, 0, "1", outcome, error, time_ms});
}

// A task with one exactly counted site.
inline ProfileBuilder Task(int64_t id, int partition, uint64_t allocated, std::optional<uint64_t> live = std::nullopt,
                           const std::vector<TestFrame>& frames = {Python("aggregate", "/jobs/job.py", 44)},
                           proto::Origin origin = proto::ORIGIN_PYTHON) {
  ProfileBuilder builder(id, kStage, partition);
  proto::Site& site = builder.Site(origin, frames, allocated, 1);
  if (live) site.set_live_at_peak_bytes(*live);
  return builder;
}

// The demo in small: one line of a UDF that calls a native library.
inline ProfileBuilder DemoTask(int64_t id, int partition) {
  ProfileBuilder builder(id, kStage, partition);
  uint32_t udf = builder.Udf("aggregate", "/jobs/job.py", 41, "SQL_MAP_PANDAS_ITER_UDF");
  proto::Site& site = builder.Site(proto::ORIGIN_PYTHON,
                                   {Framework("main", "/pyspark/worker.py", 1200), Python("aggregate", "/jobs/job.py", 44),
                                    Python("with_cpp", "/jobs/averages.py", 27), Unnamed("/jobs/libweighted.so", "abcdef", 0x1230)},
                                   kScratch + 1000, 3);
  site.set_udf(udf);
  site.set_live_at_peak_bytes(kScratch);
  site.set_resident_at_peak_bytes(kScratch);
  return builder;
}

}  // namespace memprof::testing
