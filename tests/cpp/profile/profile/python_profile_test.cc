#include "profile/python_profile.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

proto::TaskProfile TaskOf(const std::vector<PythonSession>& sessions) {
  ProfileSites sites;
  proto::TaskProfile task;
  AddPythonSessions(sessions, {[](auto&&...) { return ""; }, ""}, &sites, &task);
  return task;
}

uint64_t CounterOf(const proto::TaskProfile& task, const std::string& name) {
  for (const proto::Counter& counter : task.counters()) {
    if (counter.name() == name) return counter.value();
  }
  return 0;
}

TEST(PythonProfile, ASessionWhoseSealIsBrokenIsPartialAndCounted) {
  std::vector<PythonSession> sessions(2);
  for (PythonSession& python : sessions) python.session.closed = python.session.checksum_ok = true;
  EXPECT_FALSE(TaskOf(sessions).partial());
  EXPECT_EQ(CounterOf(TaskOf(sessions), "brokenSeals"), 0u);
  sessions[1].session.checksum_ok = false;
  EXPECT_TRUE(TaskOf(sessions).partial());
  EXPECT_EQ(CounterOf(TaskOf(sessions), "brokenSeals"), 1u);
}

}  // namespace
}  // namespace memprof
