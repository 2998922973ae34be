#include "profile/session_peaks.h"

#include <gtest/gtest.h>

#include "blackbox/box_reader.h"
#include "profile/profile_cut.h"
#include "profile/python_profile.h"

namespace memprof {
namespace {

constexpr uint64_t kArray = 33'333'328;

// A session of process `pid` with one site: an array made and dropped.
PythonSession Session(int32_t pid, int64_t opened_ms, int64_t closed_ms, uint64_t bytes = kArray) {
  PythonSession python;
  python.box.pid = pid;
  python.box.process_start_ticks = 1;
  python.session.task_attempt_id = 7;
  python.session.closed = closed_ms != 0;
  python.session.opened_ms = opened_ms;
  python.session.closed_ms = closed_ms;
  python.session.frames = {{Language::kPython, "f", "/jobs/job.py", "", "", 5, 3, 0}};
  python.session.stacks = {{0, 0}};
  BoxSite site;
  site.origin = Origin::kPython;
  site.stack = 1;
  site.allocated_bytes = bytes;
  site.allocations = 1;
  site.live_at_peak_bytes = bytes;
  site.live_bytes = bytes / 2;
  site.resident_at_peak_bytes = bytes / 4;
  site.read_at_peak_bytes = bytes / 3;
  site.variance = 3;
  site.peak_variance = 5;
  python.session.sites = {site};
  return python;
}

proto::TaskProfile TaskOf(std::vector<PythonSession> sessions) {
  ProfileSites sites;
  proto::TaskProfile task;
  AddPythonSessions(sessions, {[](auto&&...) { return SourceCalls(); }, ""}, &sites, &task);
  WriteSites(sites, 65536, &task);
  return task;
}

proto::Site SiteOf(std::vector<PythonSession> sessions) {
  const proto::TaskProfile task = TaskOf(std::move(sessions));
  EXPECT_EQ(task.sites_size(), 1);
  return task.sites(0);
}

void ExpectHeld(const proto::Site& site, uint64_t sessions) {
  EXPECT_EQ(site.live_at_peak_bytes(), sessions * kArray);
  EXPECT_EQ(site.resident_at_peak_bytes(), sessions * (kArray / 4));
  EXPECT_EQ(site.read_at_peak_bytes(), sessions * (kArray / 3));
  EXPECT_EQ(site.peak_variance(), 5.0 * static_cast<double>(sessions));
}

TEST(SessionPeaks, SessionsOfOneProcessFollowOneAnother) {
  std::vector<PythonSession> sessions;
  for (int i = 0; i < 8; ++i) sessions.push_back(Session(41, 1000 + i, 1001 + i));  // each begins as the one before it ends
  const proto::Site site = SiteOf(sessions);
  EXPECT_EQ(site.allocated_bytes(), 8 * kArray);
  EXPECT_EQ(site.allocations(), 8u);
  EXPECT_EQ(site.variance(), 24);
  EXPECT_EQ(site.live_bytes(), 8 * (kArray / 2)) << "each left it behind";
  ExpectHeld(site, 1);
}

TEST(SessionPeaks, WhatWasSeenLaterIsAddedOfThoseThatCount) {
  std::vector<PythonSession> sessions = {Session(41, 1000, 2000), Session(42, 1100, 1900), Session(41, 2000, 3000, kArray / 100)};
  uint64_t later = 1024;
  for (PythonSession& each : sessions) {
    each.session.sites[0].resident_later_bytes = later;
    each.session.looked_ms = static_cast<int64_t>(later);
    later *= 2;
  }
  const proto::TaskProfile task = TaskOf(sessions);
  EXPECT_EQ(task.sites(0).resident_later_bytes(), 3072u);
  EXPECT_EQ(task.sessions(1).looked_ms(), 2048);
}

TEST(SessionPeaks, TheLargestOfOneProcessCounts) {
  EXPECT_EQ(SiteOf({Session(41, 10, 20, 1'999'993), Session(41, 21, 30, 7'000'003), Session(41, 31, 40, 90'007)}).live_at_peak_bytes(),
            7'000'003u);
}

TEST(SessionPeaks, ProcessesAtTheSameTimeAreAdded) {
  ExpectHeld(SiteOf({Session(41, 1000, 2000), Session(42, 1100, 1900)}), 2);
  ExpectHeld(SiteOf({Session(41, 1000, 0), Session(42, 1900, 2000)}), 2);     // the first is still open
  ExpectHeld(SiteOf({Session(41, 1000, 1900), Session(42, 1900, 2000)}), 2);  // which came first is not known
}

TEST(SessionPeaks, ProcessesOneAfterTheOtherAreNot) {
  const proto::Site site = SiteOf({Session(41, 1000, 1900), Session(42, 1901, 2000), Session(41, 2001, 2500)});
  EXPECT_EQ(site.allocated_bytes(), 3 * kArray);
  ExpectHeld(site, 1);
}

TEST(SessionPeaks, AProcessThatEndedWithoutAWordHoldsNothingAfterIt) {
  PythonSession killed = Session(41, 1000, 0);
  killed.ended_ms = 1900;
  ExpectHeld(SiteOf({killed, Session(42, 1900, 2000)}), 2);
  ExpectHeld(SiteOf({killed, Session(42, 1901, 2000)}), 1);
}

TEST(SessionPeaks, APidUsedAgainIsAnotherProcess) {
  PythonSession later = Session(41, 1500, 1900);
  later.box.process_start_ticks = 2;
  ExpectHeld(SiteOf({Session(41, 1000, 0), later}), 2);
}

TEST(SessionPeaks, AChainBesideASequence) {
  // 41 serves two partitions, 42 the chained UDF of each; 43 came when both were done.
  const std::vector<PythonSession> sessions = {Session(41, 1000, 1100), Session(42, 1000, 1100), Session(41, 1200, 1300),
                                               Session(42, 1200, 1300), Session(43, 1400, 1500)};
  ExpectHeld(SiteOf(sessions), 2);
}

TEST(SessionPeaks, AClockSetBackLosesNothing) { ExpectHeld(SiteOf({Session(41, 2000, 1000)}), 1); }

TEST(SessionPeaks, SitesOfSessionsThatFollowOneAnotherAreNotAdded) {
  // Two UDFs on one reused worker, as in a.union(b).coalesce(1): the same line with another line above it.
  PythonSession first = Session(41, 1000, 1900, 7'000'003), second = Session(41, 1901, 2500, 1'999'993);
  second.session.frames[0].line = 6;
  const proto::TaskProfile task = TaskOf({first, second});
  ASSERT_EQ(task.sites_size(), 2);
  EXPECT_EQ(task.sites(0).live_at_peak_bytes(), 7'000'003u);
  EXPECT_EQ(task.sites(0).resident_at_peak_bytes(), 7'000'003u / 4);
  EXPECT_EQ(task.sites(1).allocated_bytes(), 1'999'993u);  // what was allocated stays, whatever the moment
  for (const bool measured : {task.sites(1).has_live_at_peak_bytes(), task.sites(1).has_resident_at_peak_bytes()}) EXPECT_TRUE(measured);
  EXPECT_EQ(task.sites(1).live_at_peak_bytes(), 0u);
  EXPECT_EQ(task.sites(1).resident_at_peak_bytes(), 0u);
  EXPECT_EQ(task.sites(1).read_at_peak_bytes(), 0u);
  EXPECT_EQ(task.sites(1).live_bytes(), 1'999'993u / 2);  // each left it behind, the one and the other
  EXPECT_EQ(task.sites(1).peak_variance(), 0);
}

TEST(SessionPeaks, TheMomentIsThatOfTheLargestSessionsNotOfTheLargestSite) {
  // The second session holds more in all, though none of its sites is as large as the first's.
  PythonSession first = Session(41, 1000, 1900, 5'000'011), second = Session(41, 1901, 2500, 4'000'037);
  second.session.frames.push_back({Language::kPython, "g", "/jobs/job.py", "", "", 7, 3, 0});
  second.session.stacks.push_back({0, 1});
  second.session.sites.push_back(second.session.sites[0]);
  second.session.sites[1].stack = 2;
  uint64_t live = 0;
  const proto::TaskProfile task = TaskOf({first, second});
  for (const proto::Site& site : task.sites()) live += site.live_at_peak_bytes();
  EXPECT_EQ(live, 2 * 4'000'037u);
}

TEST(SessionPeaks, NoSessionsHoldNothing) { EXPECT_TRUE(LargestTogether({}).empty()); }

}  // namespace
}  // namespace memprof
