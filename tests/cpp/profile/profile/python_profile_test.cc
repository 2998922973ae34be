#include "profile/python_profile.h"

#include <gtest/gtest.h>

#include "profile/profile_cut.h"

namespace memprof {
namespace {

proto::TaskProfile TaskOf(const std::vector<PythonSession>& sessions) {
  ProfileSites sites;
  proto::TaskProfile task;
  AddPythonSessions(sessions, {[](auto&&...) { return SourceCalls(); }, ""}, &sites, &task);
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

// Of a worker that died: what the tasks before had left is told apart from the task's own.
TEST(PythonProfile, WhatWasLeftBesideAnOpenSessionIsMarkedSo) {
  for (const bool closed : {true, false}) {
    PythonSession python;
    python.box.pid = 4131;
    python.box.process_start_ticks = 77'001;
    python.session.number = 7;
    python.session.closed = python.session.checksum_ok = closed;
    ProcessLeftovers& left = python.leftovers.emplace();
    left.through = closed ? 7 : 6;
    BoxFrame& frame = left.process.frames.emplace_back();
    frame.language = Language::kPython;
    frame.function = "remember";
    frame.file = "/w/job.py";
    left.process.stacks = {{0, 0}};
    BoxSite& site = left.process.sites.emplace_back();
    site.stack = 1;
    site.live_bytes = 3'000'017;
    ProfileSites sites;
    proto::TaskProfile task;
    AddPythonSessions({python}, {[](auto&&...) { return SourceCalls(); }, "/w"}, &sites, &task);
    WriteSites(sites, 64'000, &task);
    ASSERT_EQ(task.leftovers_size(), 1);
    EXPECT_EQ(task.leftovers(0).open(), !closed);
    EXPECT_EQ(task.leftovers(0).pid(), 4131);
    EXPECT_EQ(task.leftovers(0).start_ticks(), 77'001u);
    ASSERT_EQ(task.leftovers(0).sites_size(), 1);
    EXPECT_EQ(task.leftovers(0).sites(0).live_bytes(), 3'000'017u);
  }
}

TEST(PythonProfile, WhatWasInlinedIntoBecomesFrames) {
  PythonSession python;
  python.session.frames.resize(2);
  python.session.frames[0].language = Language::kPython;
  python.session.frames[0].function = "line";
  python.session.frames[1].language = Language::kNative;
  python.session.frames[1].module = "/lib/a.so";
  python.session.frames[1].offset = 0x10;
  python.session.stacks = {{0, 0}, {1, 1}};
  BoxSite site;
  site.origin = Origin::kPython;
  site.stack = 2;
  site.allocated_bytes = 3'000'017;
  python.session.sites = {site};
  const auto calls_at = [](auto&&...) {
    return SourceCalls{{"outermost", "a.h", 3}, {"", "nameless.h", 4}, {"middle", "b.h", 5}, {"innermost", "c.cc", 7}};
  };
  ProfileSites sites;
  proto::TaskProfile task;
  AddPythonSessions({python}, {calls_at, ""}, &sites, &task);
  ASSERT_EQ(sites.sites().size(), 1u);
  std::vector<std::string> names;
  for (const uint32_t index : sites.FramesOf(sites.sites()[0].stack)) {
    const ProfileFrame& frame = sites.frames()[index];
    names.push_back(frame.function + " " + frame.file + ":" + std::to_string(frame.line) + " " + frame.module);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"line :0 ", "outermost a.h:3 /lib/a.so", "middle b.h:5 /lib/a.so", "innermost c.cc:7 /lib/a.so"}));
}

struct Named {
  std::vector<std::string> frames, paths;
  proto::TaskProfile task;
};

Named NamesOf(bool withheld) {
  PythonSession python;
  const auto add = [&](const char* function, const char* file) {
    BoxFrame& frame = python.session.frames.emplace_back();
    frame.language = Language::kPython;
    frame.function = function;
    frame.file = file;
  };
  add("main", "/v/lib/python3.11/site-packages/pyspark/worker.py");
  add("mine", "/w/jobs/mine.py");
  add("mine", "./shipped.py");
  add("typed", "<stdin>");
  add("sum", "/v/lib/python3.11/site-packages/numpy/core.py");
  python.session.udfs = {{"mine", "/w/jobs/mine.py", "RDD", 1}};
  python.session.counters = {{"noTaskPythonBytes: mine", 5}, {"noTaskPythonBytes: other threads", 7}, {"droppedUdfs", 3}};
  ProfileSites sites;
  Named named;
  AddPythonSessions({python}, {[](auto&&...) { return SourceCalls(); }, "/w", withheld}, &sites, &named.task);
  for (const ProfileFrame& frame : sites.frames()) {
    named.frames.push_back(frame.function + " " + frame.file);
    const std::string* path = sites.PathOf(frame.file);
    named.paths.push_back(path == nullptr ? "" : *path);
  }
  return named;
}

// The UDF of a site whose only frame is `function`, at the place of three UDFs, one of another name than `function`'s.
std::string UdfOfSiteIn(const char* function) {
  PythonSession python;
  BoxFrame& frame = python.session.frames.emplace_back();
  frame.language = Language::kPython;
  frame.function = function;
  frame.file = "/w/jobs/mine.py";
  frame.first_line = 7;
  python.session.stacks.push_back({0, 0});
  BoxSite& site = python.session.sites.emplace_back();
  site.stack = 1;
  site.allocated_bytes = 1;
  for (const char* name : {"price_0", "price_1", "price_2"}) python.session.udfs.push_back({name, "/w/jobs/mine.py", "BATCHED_UDF", 7});
  ProfileSites sites;
  proto::TaskProfile task;
  AddPythonSessions({python}, {[](auto&&...) { return SourceCalls(); }, "/w", false}, &sites, &task);
  const std::string name = sites.sites().size() == 1 ? task.udfs(static_cast<int>(sites.sites().front().udf) - 1).name() : "no site";
  // Leaks are looked for among the functions that a session names.
  const auto& named = task.sessions(0).udfs();
  EXPECT_NE(std::find(named.begin(), named.end(), sites.sites().front().udf), named.end());
  EXPECT_EQ(named.size(), name == "price_1" ? 3 : 4);
  return name;
}

TEST(PythonProfile, FunctionsOfOnePlaceHaveTheirOwnSitesOrThoseOfAll) {
  EXPECT_EQ(UdfOfSiteIn("price_1"), "price_1");
  EXPECT_EQ(UdfOfSiteIn("make.<locals>.price"), "price_0, price_1, …");
}

TEST(PythonProfile, TheUsersFilesAreKnownByTheirPlaces) {
  const Named named = NamesOf(false);
  EXPECT_EQ(named.frames[1], "mine jobs/mine.py");
  EXPECT_EQ(named.frames[2], "mine shipped.py");
  EXPECT_EQ(named.paths, (std::vector<std::string>{"", "/w/jobs/mine.py", "/w/./shipped.py", "", ""}));
}

TEST(PythonProfile, WithheldNamesAreHashesThatTellFunctionsAndFilesApart) {
  const Named plain = NamesOf(false), named = NamesOf(true);
  for (const size_t installed : {0, 4}) EXPECT_EQ(named.frames[installed], plain.frames[installed]);
  for (const size_t users : {1, 2, 3}) {
    EXPECT_EQ(named.frames[users].find("mine"), std::string::npos);
    EXPECT_EQ(named.frames[users].find("shipped"), std::string::npos);
    EXPECT_EQ(named.frames[users].find("std"), std::string::npos);
    EXPECT_EQ(named.paths[users], "");
  }
  const auto function = [&](size_t i) { return named.frames[i].substr(0, named.frames[i].find(' ')); };
  EXPECT_EQ(function(1), function(2));
  EXPECT_NE(function(1), function(3));
  EXPECT_NE(named.frames[1], named.frames[2]) << "other files";
  EXPECT_EQ(named.task.udfs(0).name() + " " + named.task.udfs(0).file(), named.frames[1]);
  const auto counter = [](const Named& of, int i) { return of.task.sessions(0).counters(i).name(); };
  EXPECT_EQ(counter(plain, 0), "noTaskPythonBytes: mine");
  EXPECT_EQ(counter(named, 0), "noTaskPythonBytes: " + function(1)) << "the function that a thread of no task runs";
  EXPECT_EQ(counter(named, 1), "noTaskPythonBytes: other threads");
  EXPECT_EQ(counter(named, 2), "droppedUdfs");
}

}  // namespace
}  // namespace memprof
