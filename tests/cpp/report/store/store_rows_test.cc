#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "facts/cached_data.h"
#include "report/store/small_job.h"

namespace memprof {
namespace {

using namespace testing;

// ---- errors and missing figures

TEST(Figures, ErrorIsTwoDeviationsOfWhatIsShown) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  auto site = [&](const char* function, bool sampled, double variance, std::optional<uint64_t> live, double peak_variance) {
    proto::Site& made = task.Site(proto::ORIGIN_PYTHON, {Python(function, "/f.py", 1)}, 10'000, 1);
    made.set_sampled(sampled);
    made.set_variance(variance);
    if (live) made.set_live_at_peak_bytes(*live);
    made.set_peak_variance(peak_variance);
  };
  site("exact", false, 0, 400, 0);
  site("sampled", true, 250'000, 300, 10'000);
  site("peak_counted", true, 250'000, 200, 0);
  site("allocated_only", true, 250'000, std::nullopt, 0);
  site("counted_though_sampled", true, 0, 150, 0);
  site("unknown", true, 0, 100, 0);
  task.profile().mutable_sites()->rbegin()->clear_variance();
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  std::map<std::string, Json> errors;
  Json sites = StageOf(store)["sites"];
  for (const Json& shown : sites) errors[shown["frames"][0]["function"]] = shown["errorBytes"];
  EXPECT_EQ(errors["exact"], 0);
  EXPECT_EQ(errors["sampled"], 200);
  EXPECT_EQ(errors["peak_counted"], 0);
  EXPECT_EQ(errors["allocated_only"], 1000);
  EXPECT_EQ(errors["counted_though_sampled"], 0);
  EXPECT_EQ(errors["unknown"], nullptr);
}

TEST(Figures, VariancesOfTasksAddUp) {
  ProfileStore store;
  for (int i = 0; i < 4; ++i) {
    ProfileBuilder task = Task(i, i, 1000, std::nullopt, {Java("a.B", "c", "B.java", 3)}, proto::ORIGIN_JVM_HEAP);
    task.profile().mutable_sites(0)->set_sampled(true);
    task.profile().mutable_sites(0)->set_variance(2500);
    Ingest(store, task.Bytes());
    End(store, i, i);
  }
  Json site = StageOf(store)["sites"][0];
  EXPECT_EQ(site["liveAtPeakBytes"], nullptr);
  EXPECT_EQ(site["residentAtPeakBytes"], nullptr);
  EXPECT_EQ(site["errorBytes"], 200);
  EXPECT_THAT(ReportOf(store)["notAvailable"].dump(), ::testing::HasSubstr("jvm-heap"));
}

// A job that is installed as a wheel: its lines are a library's, without text and without leaks.
TEST(Figures, UdfsOfInstalledPackagesAreSaidToLackTextAndLeaks) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  const auto run = [&](const std::string& file) {
    task.Site(proto::ORIGIN_PYTHON, {Python("clean", file, 9)}, 1000, 1).set_udf(task.Udf("clean", file, 7, "RDD"));
  };
  run("/v/lib/python3.11/site-packages/pyspark/pandas/base.py");
  run("/jobs/job.py");
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  const auto missing = [&] { return ReportOf(store)["notAvailable"].dump(); };
  EXPECT_THAT(missing(), ::testing::Not(::testing::HasSubstr("source and leaks")));

  task = ProfileBuilder(2, kStage, 1);
  run("/v/lib/python3.11/site-packages/myjob/udfs/clean.py");
  Ingest(store, task.Bytes());
  End(store, 2, 1);
  EXPECT_THAT(missing(), ::testing::HasSubstr("source and leaks of lines of myjob\""));
}

// ---- rows

TEST(Rows, HeaviestFirstAndHeapSitesAfterByAllocatedBytes) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  task.Site(proto::ORIGIN_JVM_HEAP, {Java("a.B", "small", "B.java", 1)}, 5, 1);
  task.Site(proto::ORIGIN_JVM_HEAP, {Java("a.B", "large", "B.java", 2)}, 500'000, 1);
  task.Site(proto::ORIGIN_PYTHON, {Python("little", "/f.py", 1)}, 900, 1).set_live_at_peak_bytes(10);
  task.Site(proto::ORIGIN_PYTHON, {Python("much", "/f.py", 2)}, 800, 1).set_live_at_peak_bytes(700);
  task.Site(proto::ORIGIN_JVM_OFFHEAP, {Java("a.B", "direct", "B.java", 3)}, 50, 1).set_live_at_peak_bytes(50);
  task.Site(proto::ORIGIN_PYTHON, {Python("nothing_then", "/f.py", 3)}, 100, 1).set_live_at_peak_bytes(0);
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  std::vector<std::string> order;
  Json sites = StageOf(store)["sites"];
  for (const Json& site : sites) order.push_back(site["frames"][0]["function"]);
  EXPECT_THAT(order, ::testing::ElementsAre("much", "direct", "little", "nothing_then", "large", "small"));
}

TEST(Rows, SitesAndRemaindersAddUpToTotals) {
  ProfileStore store;
  uint64_t expected = 0;
  for (int id = 0; id < 3; ++id) {
    ProfileBuilder task(id, kStage, id);
    for (uint32_t line = 1; line <= 150; ++line) {
      uint64_t size = 1009 * line + static_cast<uint64_t>(id);
      task.Site(proto::ORIGIN_PYTHON, {Python("f", "/f.py", line)}, size, line).set_live_at_peak_bytes(line);
      expected += size;
    }
    proto::Remainder& rest = *task.profile().add_remainders();
    rest.set_origin(proto::ORIGIN_PYTHON);
    rest.set_sites(17);
    rest.set_allocated_bytes(123'457);
    rest.set_allocations(18);
    rest.set_live_at_peak_bytes(4000);
    expected += 123'457;
    Ingest(store, task.Bytes());
    End(store, id, id);
  }
  Json stage = StageOf(store);
  uint64_t shown = 0, shown_allocations = 0;
  for (const Json& site : stage["sites"]) {
    shown += site["allocatedBytes"].get<uint64_t>();
    shown_allocations += site["allocations"].get<uint64_t>();
  }
  ASSERT_LT(stage["sites"].size(), 150u);
  ASSERT_EQ(stage["totals"].size(), 1u);
  EXPECT_EQ(stage["totals"][0]["allocatedBytes"], expected);
  EXPECT_EQ(shown + stage["remainders"][0]["allocatedBytes"].get<uint64_t>(), expected);
  EXPECT_EQ(shown_allocations + stage["remainders"][0]["allocations"].get<uint64_t>(), stage["totals"][0]["allocations"]);
  EXPECT_EQ(stage["totals"][0]["liveAtPeakBytes"], 150 * 151 / 2 + 4000) << "all that one task held, its remainder included";
}

TEST(Rows, TheUsersOwnCodeKeepsItsPlaceBesideImports) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  uint32_t udf = task.Udf("f", "/job/f.py", 1, "BATCHED_UDF");
  for (uint32_t line = 1; line <= 150; ++line) {
    const std::vector<TestFrame> import = {Framework("main", "/pyspark/worker.py", 9), Python("<module>", "/lib/site-packages/p.py", line)};
    task.Site(proto::ORIGIN_PYTHON, import, 1009 * line, line).set_live_at_peak_bytes(1009 * line);
  }
  auto own = [&](uint32_t line, uint64_t allocated, uint64_t live_at_peak) {
    proto::Site& site = task.Site(proto::ORIGIN_PYTHON, {Python("f", "/job/f.py", line)}, allocated, 1);
    site.set_udf(udf);
    site.set_live_at_peak_bytes(live_at_peak);
  };
  own(7, 700'001, 0);  // gone before the peak
  for (uint32_t line = 100; line < 130; ++line) own(line, 101, 1);
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  Json stage = StageOf(store);
  ASSERT_LT(stage["sites"].size(), 150u);
  size_t of_user = 0, scratch = 0;
  uint64_t before = UINT64_MAX;
  for (const Json& site : stage["sites"]) {
    of_user += site["udfName"] == "f";
    scratch += site["allocatedBytes"] == 700'001;
    EXPECT_LE(site["liveAtPeakBytes"].get<uint64_t>(), before) << "whoever got a place, the heaviest stands first";
    before = site["liveAtPeakBytes"].get<uint64_t>();
  }
  EXPECT_EQ(scratch, 1u);
  EXPECT_EQ(of_user, stage["sites"].size() / 2) << "the other half is for the heaviest of all";
  EXPECT_EQ(stage["sites"][0]["allocatedBytes"], 1009 * 150);
}

TEST(Rows, PythonOutsideAnyUdfKeepsTheFramework) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  uint32_t udf = task.Udf("f", "/f.py", 1, "RDD");
  TestFrame worker = Framework("main", "/pyspark/worker.py", 1200);
  task.Site(proto::ORIGIN_PYTHON, {worker, Python("outside", "/f.py", 3)}, 300, 1);
  task.Site(proto::ORIGIN_PYTHON, {worker, Python("inside", "/f.py", 4)}, 200, 1).set_udf(udf);
  task.Site(proto::ORIGIN_PYTHON, {worker, Framework("load", "/pyspark/serializers.py", 9)}, 100, 1).set_udf(udf);
  task.Site(proto::ORIGIN_PYTHON, {Python("user", "/f.py", 5), worker}, 50, 1).set_udf(udf);
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  Json sites = StageOf(store)["sites"];
  EXPECT_EQ(sites[0]["frames"].size(), 2u);
  EXPECT_EQ(sites[0]["udf"], nullptr);
  EXPECT_EQ(sites[1]["frames"].size(), 1u);
  EXPECT_EQ(sites[2]["frames"].size(), 2u) << "there is nothing else to show";
  EXPECT_EQ(sites[3]["frames"].size(), 2u) << "only leading frames are left out";
}

// ---- lines

constexpr const char* kNumpy = "/venv/lib/python3.11/site-packages/numpy/_core/numeric.py";

TEST(Lines, MemoryIsChargedToTheUsersInnermostLine) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  uint32_t udf = task.Udf("hold", "/jobs/job.py", 5, "RDD");
  auto site = [&](std::vector<TestFrame> frames, uint64_t bytes) {
    proto::Site& made = task.Site(proto::ORIGIN_PYTHON, std::move(frames), bytes, 1);
    made.set_udf(udf);
    made.set_live_at_peak_bytes(bytes);
  };
  TestFrame hold = Python("hold", "/jobs/job.py", 8);
  site({hold, Python("ones", kNumpy, 232), Unnamed("/x/_umath.so", "b", 1)}, 1'999'993);
  site({hold, Python("helper", "/jobs/helper.py", 3)}, 1009);
  site({hold, Python("callback", kNumpy, 7), Python("key", "/jobs/helper.py", 9), Python("sorted", kNumpy, 8)}, 997);
  site({hold, Unnamed("/x/other.so", "b", 2)}, 211);
  site({Python("_find_and_load", "<frozen importlib._bootstrap>", 1176), Python("<module>", kNumpy, 1), Python("inner", kNumpy, 2)}, 13);
  site({Unnamed("/x/pool.so", "b", 3)}, 7);
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  Json stage = StageOf(store);
  std::map<std::string, uint64_t> live;
  for (const Json& line : stage["lines"]) {
    std::string place = line["file"].is_null() ? "none" : line["file"].get<std::string>() + ":" + line["line"].dump();
    live[place] = line["liveAtPeakBytes"];
    EXPECT_EQ(line["udf"], "hold (job.py:5)");
  }
  EXPECT_EQ(live["/jobs/job.py:8"], 1'999'993 + 211);
  EXPECT_EQ(live["/jobs/helper.py:3"], 1009);
  EXPECT_EQ(live["/jobs/helper.py:9"], 997);
  EXPECT_EQ(live[std::string(kNumpy) + ":1"], 13) << "an import is charged to where it began";
  EXPECT_EQ(live["none"], 7);
  EXPECT_EQ(stage["lines"][0]["sites"], Json({0, 3}));
}

TEST(Lines, PeaksAreOfOneTask) {
  ProfileStore store;
  for (int id = 0; id < 2; ++id) {  // each task holds through another site of the line, and both through a third
    ProfileBuilder task(id, kStage, id);
    TestFrame line = Python("f", "/f.py", 1);
    uint64_t own = 100 + static_cast<uint64_t>(id);
    task.Site(proto::ORIGIN_PYTHON, {line, Unnamed("/x.so", "b", own)}, 1000, 1).set_live_at_peak_bytes(own);
    task.Site(proto::ORIGIN_PYTHON, {line, Unnamed("/x.so", "b", 7)}, 1000, 1).set_live_at_peak_bytes(5);
    Ingest(store, task.Bytes());
    End(store, id, id);
  }
  Json line = StageOf(store)["lines"].at(0);
  EXPECT_EQ(line["liveAtPeakBytes"], 106);
  EXPECT_EQ(line["allocatedBytes"], 4000);
  EXPECT_EQ(line["tasks"], 2);
  EXPECT_EQ(line["sites"].size(), 3u);
}

// ---- names that come late

TEST(Symbols, SitesThatGetOneNameBecomeOne) {
  ProfileStore store;
  for (int id = 0; id < 2; ++id) {
    ProfileBuilder task(id, kStage, id);
    for (uint64_t offset : {0x10, 0x20}) {
      proto::Site& site = task.Site(proto::ORIGIN_PYTHON, {Python("f", "/f.py", 1), Unnamed("/lib/a.so", "b1", offset)}, 1000 + offset, 1);
      site.set_live_at_peak_bytes(100 * static_cast<uint64_t>(id + 1));
    }
    Ingest(store, task.Bytes());
    End(store, id, id);
  }
  EXPECT_EQ(StageOf(store)["sites"].size(), 2u);
  EXPECT_EQ(StageOf(store)["sites"][0]["frames"][1]["function"], nullptr);
  EXPECT_EQ(StageOf(store)["sites"][0]["frames"][1]["buildId"], "b1");
  Ingest(store, SymbolBytes("b1", 0x10, "grow", "a.cc", 7));
  Ingest(store, SymbolBytes("b1", 0x20, "grow", "a.cc", 7));
  Json sites = StageOf(store)["sites"];
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0]["allocatedBytes"], 2 * (1000 + 0x10 + 1000 + 0x20));
  EXPECT_EQ(sites[0]["liveAtPeakBytes"], 400) << "both held 200 in the second task at once; tasks don't add up";
  EXPECT_EQ(sites[0]["tasks"], 2);
  EXPECT_FALSE(sites[0]["frames"][1].contains("offset"));
}

// Whatever the order in which two executors name the same code.
TEST(Symbols, WhatWasInlinedIntoBecomesFrames) {
  const std::string with = SymbolBytes("b1", 0x10, "innermost", "a.cc", 7, {"outermost", "middle"});
  const std::string without = SymbolBytes("b1", 0x10, "innermost", "a.cc", 7);
  for (const std::vector<std::string>& symbols : {std::vector{with}, {with, without}, {without, with}, {with, with}}) {
    ProfileStore store;
    ProfileBuilder task(7, kStage, 0);
    task.Site(proto::ORIGIN_PYTHON, {Python("f", "/f.py", 1), Unnamed("/lib/a.so", "b1", 0x10)}, 3'000'017, 1);
    Ingest(store, task.Bytes());
    End(store, 7, 0);
    for (const std::string& symbol : symbols) Ingest(store, symbol);
    const Json frames = StageOf(store)["sites"][0]["frames"];
    ASSERT_EQ(frames.size(), 4u);
    EXPECT_EQ(frames[1]["function"], "outermost");
    EXPECT_EQ(frames[1]["file"], "outermost.h");
    EXPECT_EQ(frames[1]["line"], 8);
    EXPECT_EQ(frames[1]["module"], "/lib/a.so");
    EXPECT_EQ(frames[1]["language"], "native");
    EXPECT_EQ(frames[2]["function"], "middle");
    EXPECT_EQ(frames[2]["line"], 9);
    EXPECT_EQ(frames[3]["function"], "innermost");
    EXPECT_EQ(frames[3]["file"], "a.cc");
    EXPECT_FALSE(frames[1].contains("offset"));
    EXPECT_FALSE(store.AwaitsSymbols());
  }
}

TEST(Symbols, AreAwaitedWhileTheyMayCome) {
  ProfileStore store;
  EXPECT_FALSE(store.AwaitsSymbols());
  Ingest(store, DemoTask(7, 0).Bytes());
  End(store, 7, 0);
  EXPECT_TRUE(store.AwaitsSymbols());
  store.ExecutorRemoved("1", "idle", 10);
  EXPECT_FALSE(store.AwaitsSymbols()) << "nobody is left who could name it";
}

TEST(Symbols, EmptyNameSaysThatNoneWillCome) {
  ProfileStore store;
  Ingest(store, DemoTask(7, 0).Bytes());
  End(store, 7, 0);
  Ingest(store, SymbolBytes("abcdef", 0x1230, ""));
  EXPECT_FALSE(store.AwaitsSymbols());
  EXPECT_EQ(StageOf(store)["sites"][0]["frames"][2]["offset"], 0x1230);
  Ingest(store, SymbolBytes("abcdef", 0x1230, "weighted_average"));
  EXPECT_EQ(StageOf(store)["sites"][0]["frames"][2]["function"], "weighted_average");
}

// ---- Arrow's pool

using Counters = std::initializer_list<std::pair<const char*, uint64_t>>;

void EndTaskWithSessions(ProfileStore& store, int64_t id, std::initializer_list<Counters> sessions) {
  proto::Envelope envelope;
  envelope.ParseFromString(ProfileBuilder(id, 2, static_cast<int>(id), "7").Bytes());
  for (const Counters& counters : sessions) {
    proto::Session& session = *envelope.mutable_task()->add_sessions();
    for (const auto& [name, value] : counters) {
      proto::Counter& counter = *session.add_counters();
      counter.set_name(name);
      counter.set_value(value);
    }
  }
  Ingest(store, envelope.SerializeAsString());
  store.TaskEnded({id, 2, 0, static_cast<int>(id), 0, "7", TaskOutcome::kSucceeded, "", 9});
}

TEST(ArrowPool, EachFigureIsTheLargestOfAnyOneTask) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "name", "4.3.0", "", "local[2]", 1);
  store.StageSubmitted(2, 0, "stage", "", 3, 5);
  EndTaskWithSessions(store, 0,
                      {{{"arrowPoolBeginBytes", 0}, {"arrowPoolEndBytes", 17}, {"arrowPoolPeakBytes", 5'000'003}},
                       {{"arrowPoolBeginBytes", 3'000'000}, {"arrowPoolEndBytes", 1'000'019}}});
  EndTaskWithSessions(store, 1,
                      {{{"arrowPoolBeginBytes", 2'000'000}, {"arrowPoolEndBytes", 2'000'029}, {"arrowPoolPeakBytes", 4'000'001}}});
  const Json report = ReportOf(store);
  EXPECT_EQ(report["stages"][0]["arrowPoolPeakBytes"], 5'000'003);
  EXPECT_EQ(report["stages"][0]["arrowPoolEndBytes"], 2'000'029);
  EXPECT_EQ(report["stages"][0]["arrowPoolGrowthBytes"], 29);
  EXPECT_EQ(report["stages"][0]["otherAttempts"]["arrowPoolEndBytes"], nullptr);
  for (const char* name : {"arrowPoolPeakBytes", "arrowPoolBeginBytes", "arrowPoolEndBytes"})
    EXPECT_FALSE(report["counters"].contains(name));
}

TEST(ArrowPool, WhatShrinksIsSaidAndAnUnknownPeakIsNull) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "name", "4.3.0", "", "local[2]", 1);
  store.StageSubmitted(2, 0, "stage", "", 3, 5);
  EndTaskWithSessions(store, 0, {{{"arrowPoolBeginBytes", 3'000'000}, {"arrowPoolEndBytes", 1'000'019}}, {}});
  const Json report = ReportOf(store);
  EXPECT_EQ(report["stages"][0]["arrowPoolPeakBytes"], nullptr);
  EXPECT_EQ(report["stages"][0]["arrowPoolEndBytes"], 1'000'019);
  EXPECT_EQ(report["stages"][0]["arrowPoolGrowthBytes"], 1'000'019 - 3'000'000);
}

// As many as a task can name, and what is outside any.
TEST(Rows, EveryFunctionOfATaskHasItsShare) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  for (uint32_t line = 0; line <= 32; ++line) {
    proto::Site& site = task.Site(proto::ORIGIN_PYTHON, {Python("f", "/jobs/job.py", line + 1)}, 1'000'003 + line, 1);
    site.set_live_at_peak_bytes(1'000'003 + line);
    if (line != 0) site.set_udf(task.Udf("u" + std::to_string(line), "/jobs/job.py", line + 1, "BATCHED_UDF"));
  }
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  EXPECT_EQ(StageOf(store)["udfs"].size(), 33u);
}

TEST(CachedRows, WhatHasNoRowIsSaidToHaveNone) {
  constexpr int kShown = 200;
  for (const bool of_broadcast : {false, true}) {
    ProfileStore store;
    const auto add = [&](int number) { store.BlockUpdated({of_broadcast, number, 0}, "1", static_cast<uint64_t>(9'000'001 + number), 0); };
    const std::string words = of_broadcast ? "the smaller broadcast variables" : "the smaller cached data";
    const char* key = of_broadcast ? "broadcasts" : "cachedData";
    for (int i = 0; i < kShown; ++i) add(i);
    EXPECT_EQ(ReportOf(store)[key].size(), kShown);
    EXPECT_THAT(ReportOf(store)["notAvailable"].dump(), ::testing::Not(::testing::HasSubstr(words)));
    add(kShown);
    EXPECT_EQ(ReportOf(store)[key].size(), kShown);
    EXPECT_THAT(ReportOf(store)["notAvailable"].dump(), ::testing::HasSubstr(words));
  }
}

}  // namespace
}  // namespace memprof
