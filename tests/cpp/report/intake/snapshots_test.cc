#include "intake/snapshots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace memprof {
namespace {

proto::ExecutorSnapshot Random(std::mt19937& random) {
  proto::ExecutorSnapshot snapshot;
  snapshot.set_taken_ms(static_cast<int64_t>(random() % 4));
  snapshot.set_jvm_pid(4000);
  if (random() % 2 == 0) {
    snapshot.set_cgroup_limit_bytes(1000 + random() % 3);
    snapshot.set_cgroup_limit_clock_ms(static_cast<int64_t>(random() % 3));
  }
  if (random() % 2 == 0) snapshot.set_heap_max_bytes(2000 + random() % 3);
  if (random() % 2 == 0) {
    proto::SwapUse& swap = *snapshot.mutable_swap();
    swap.set_peak_bytes(random() % 3);
    swap.set_beside_jvm_bytes(random() % 3);
    swap.set_left_bytes(random() % 3);
    swap.set_clock_ms(static_cast<int64_t>(random() % 3));
  }
  for (const bool peak : {false, true}) {
    if (random() % 2 == 0) continue;
    proto::HeapUse& use = peak ? *snapshot.mutable_heap_after_gc_peak() : *snapshot.mutable_heap_after_gc();
    use.set_bytes(random() % 3);
    use.set_time_ms(static_cast<int64_t>(random() % 3));
    use.set_collection(random() % 2 == 0 ? "Copy" : "G1 Young Generation");
    use.set_whole_heap(random() % 2 == 0);
    if (peak) use.set_known_clock_ms(static_cast<int64_t>(random() % 3));
  }
  if (random() % 2 == 0) {
    snapshot.set_host_memory_bytes(random() % 3);
    snapshot.set_host_is_group(random() % 2 == 0);
    snapshot.set_host_memory_clock_ms(static_cast<int64_t>(random() % 3));
  }
  snapshot.set_cgroup_shared(random() % 5 == 0);
  snapshot.set_cgroup_unseen(random() % 5 == 0);
  for (unsigned i = random() % 4; i != 0; --i) {
    proto::Process& process = *snapshot.add_processes();
    process.set_pid(static_cast<int32_t>(4000 + random() % 3));
    process.set_start_ticks(random() % 3);
    process.set_peak_rss_bytes(random() % 5);
    if (random() % 2 == 0) process.set_kind("program");
    process.set_alive(random() % 2 == 0);
    if (random() % 2 == 0) process.set_last_task_attempt_id(static_cast<int64_t>(random() % 3));
    if (random() % 2 == 0) process.add_peak_rows()->set_bytes(random() % 3);
  }
  if (random() % 2 == 0) snapshot.mutable_at_peak()->set_used_bytes(random() % 4);
  if (random() % 4 == 0) snapshot.mutable_at_peak()->set_measure(random() % 3);
  if (random() % 2 == 0) {
    snapshot.mutable_last()->set_time_ms(static_cast<int64_t>(random() % 3));
    snapshot.mutable_last()->set_clock_ms(static_cast<int64_t>(random() % 3));
    snapshot.mutable_last()->set_used_bytes(random() % 3);
  }
  if (random() % 2 == 0) snapshot.set_oom_kills(random() % 3);
  if (random() % 2 == 0) snapshot.set_oom_kills_at_start(random() % 3);
  if (random() % 2 == 0) snapshot.set_host_oom_kills(random() % 3);
  if (random() % 2 == 0) snapshot.set_host_oom_kills_at_start(random() % 3);
  if (random() % 2 == 0) snapshot.set_boot_id(random() % 2 == 0 ? "a" : "b");
  for (unsigned i = random() % 3; i != 0; --i) {
    proto::Collector& collector = *snapshot.add_collectors();
    collector.set_name(random() % 2 == 0 ? "Copy" : "MarkSweepCompact");
    collector.set_collections(random() % 3);
    collector.set_longest_ms(random() % 3);
  }
  if (random() % 2 == 0) snapshot.set_gc_stopped_ms(random() % 9);
  if (random() % 2 == 0) snapshot.set_gc_watched_ms(random() % 9);
  if (random() % 2 == 0) snapshot.set_spark_unroll_peak_bytes(random() % 9);
  if (random() % 2 == 0) snapshot.set_cgroup(random() % 2 == 0 ? "/a" : "/b");
  if (random() % 2 == 0) snapshot.set_cgroup_clock_ms(static_cast<int64_t>(random() % 3));
  for (const char* name : {"a", "b", "noTaskHeapBytes: RPC", "noTaskHeapBytes: other threads"}) {
    if (random() % 2 == 0) continue;
    proto::Counter& counter = *snapshot.add_counters();
    counter.set_name(name);
    counter.set_value(random() % 4);
  }
  for (unsigned i = random() % 3; i != 0; --i) {
    proto::SparkPool& pool = *snapshot.add_spark_pools();
    pool.mutable_last()->set_off_heap(i == 2);
    pool.mutable_last()->set_storage_bytes(random() % 3);
    pool.set_last_ms(static_cast<int64_t>(random() % 2));
    pool.set_storage_peak_bytes(random() % 5);
    pool.set_execution_peak_bytes(random() % 5);
    pool.set_used_peak_bytes(random() % 5);
  }
  if (random() % 2 == 0) snapshot.add_not_available()->set_what(random() % 2 == 0 ? "x" : "y");
  return snapshot;
}

std::string Joined(const std::vector<proto::ExecutorSnapshot>& snapshots) {
  proto::ExecutorSnapshot joined;
  for (const proto::ExecutorSnapshot& snapshot : snapshots) JoinSnapshot(snapshot, joined);
  return joined.SerializeAsString();
}

TEST(Snapshots, OrderAndRepetitionChangeNothing) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    std::vector<proto::ExecutorSnapshot> snapshots;
    for (int i = 0; i < 4; ++i) snapshots.push_back(Random(random));
    std::string expected = Joined(snapshots);
    snapshots.push_back(snapshots[random() % 4]);
    std::shuffle(snapshots.begin(), snapshots.end(), random);
    ASSERT_EQ(Joined(snapshots), expected) << "round " << round;
  }
}

// The agent reads a worker's resident set at every tick; the worker's own rows of it come with its box, a moment later.
TEST(Snapshots, OfOnePeakTheRowsCountThatWereMeasuredOfTheMost) {
  const auto snapshot = [](uint64_t rows_rss, std::initializer_list<uint64_t> rows) {
    proto::ExecutorSnapshot made;
    proto::Process& process = *made.add_processes();
    process.set_pid(4711);
    process.set_peak_rss_bytes(218'000'000);
    if (rows_rss != 0) process.set_rows_rss_bytes(rows_rss);
    for (const uint64_t bytes : rows) process.add_peak_rows()->set_bytes(bytes);
    return made;
  };
  std::vector<proto::ExecutorSnapshot> snapshots = {snapshot(0, {70, 80, 90, 100, 110}), snapshot(152'000'000, {60, 50, 40, 30}),
                                                    snapshot(217'900'000, {61, 60, 50})};
  for (int turn = 0; turn < 3; ++turn) {
    proto::ExecutorSnapshot joined;
    for (const proto::ExecutorSnapshot& each : snapshots) JoinSnapshot(each, joined);
    ASSERT_EQ(joined.processes_size(), 1);
    EXPECT_EQ(joined.processes(0).rows_rss_bytes(), 217'900'000u);
    EXPECT_EQ(joined.processes(0).peak_rows(0).bytes(), 61u);
    std::rotate(snapshots.begin(), snapshots.begin() + 1, snapshots.end());
  }
}

// 23 names are sent, and the sum of the others: one that others have overtaken is in that sum.
TEST(Snapshots, BytesOfNoTaskCountOnce) {
  const auto snapshot = [](std::initializer_list<std::pair<const char*, uint64_t>> counters) {
    proto::ExecutorSnapshot made;
    for (const auto& [name, value] : counters) {
      proto::Counter& counter = *made.add_counters();
      counter.set_name(name);
      counter.set_value(value);
    }
    return made;
  };
  const proto::ExecutorSnapshot earlier = snapshot({{"droppedMessages", 7},
                                                    {"noTaskHeapBytes: RPC", 100},
                                                    {"noTaskHeapBytes: other threads", 30},
                                                    {"noTaskOffHeapBytes: RPC", 9},
                                                    {"noTaskNativeBytes: odd", 5}});
  const proto::ExecutorSnapshot later = snapshot({{"noTaskHeapBytes: UI", 500},
                                                  {"noTaskHeapBytes: other threads", 130},
                                                  {"noTaskOffHeapBytes: other threads", 8},
                                                  {"noTaskNativeBytes: other threads", 7}});
  for (const bool in_order : {true, false}) {
    proto::ExecutorSnapshot joined = in_order ? earlier : later;
    JoinSnapshot(in_order ? later : earlier, joined);
    std::map<std::string, uint64_t> counters;
    for (const proto::Counter& counter : joined.counters()) counters[counter.name()] = counter.value();
    const std::map<std::string, uint64_t> expected = {{"droppedMessages", 7},
                                                      {"noTaskHeapBytes: UI", 500},
                                                      {"noTaskHeapBytes: other threads", 130},
                                                      {"noTaskOffHeapBytes: RPC", 9},
                                                      {"noTaskNativeBytes: other threads", 7}};
    EXPECT_EQ(counters, expected);
  }
}

TEST(Snapshots, OneThatWasCutTakesNothingAway) {
  proto::ExecutorSnapshot whole, cut;
  whole.set_taken_ms(1);
  for (int pid : {1, 2, 3}) {
    proto::Process& process = *whole.add_processes();
    process.set_pid(pid);
    process.set_peak_rss_bytes(1000 + static_cast<uint64_t>(pid));
    *whole.mutable_at_peak()->add_processes() = process;
  }
  whole.mutable_at_peak()->set_used_bytes(5000);
  cut.set_taken_ms(2);
  *cut.add_processes() = whole.processes(0);
  cut.mutable_at_peak()->set_used_bytes(5000);
  cut.mutable_heap_after_gc()->set_bytes(77);
  JoinSnapshot(cut, whole);
  EXPECT_EQ(whole.processes_size(), 3);
  EXPECT_EQ(whole.at_peak().processes_size(), 3);
  EXPECT_EQ(whole.heap_after_gc().bytes(), 77u);
  EXPECT_EQ(whole.taken_ms(), 2);
}

// A limit came late: the sum of RSS before has shared pages several times.
TEST(Snapshots, APeakOfAnotherMeasureReplacesThatBefore) {
  proto::ExecutorSnapshot before, after;
  before.mutable_at_peak()->set_used_bytes(5000);
  after.mutable_at_peak()->set_used_bytes(3000);
  after.mutable_at_peak()->set_measure(1);
  proto::ExecutorSnapshot joined = before;
  JoinSnapshot(after, joined);
  EXPECT_EQ(joined.at_peak().used_bytes(), 3000u);
  JoinSnapshot(before, joined);
  EXPECT_EQ(joined.at_peak().used_bytes(), 3000u) << "told late";
  after.mutable_at_peak()->set_used_bytes(2000);
  JoinSnapshot(after, joined);
  EXPECT_EQ(joined.at_peak().used_bytes(), 3000u);
}

TEST(Snapshots, OfAHeapTheLastCollectionAndTheLargestUseAreKept) {
  proto::ExecutorSnapshot early, late;
  const auto put = [](proto::HeapUse& use, uint64_t bytes, int64_t time_ms, const char* collection) {
    use.set_bytes(bytes);
    use.set_time_ms(time_ms);
    use.set_collection(collection);
  };
  put(*early.mutable_heap_after_gc(), 900, 1000, "PS Scavenge");
  put(*early.mutable_heap_after_gc_peak(), 900, 1000, "PS Scavenge");
  put(*late.mutable_heap_after_gc(), 300, 2000, "PS MarkSweep");
  put(*late.mutable_heap_after_gc_peak(), 700, 1500, "PS MarkSweep");
  early.mutable_heap_after_gc_peak()->set_known_clock_ms(10);
  late.mutable_heap_after_gc_peak()->set_known_clock_ms(20);
  for (const bool trimmed : {false, true}) {
    if (trimmed) late.clear_heap_after_gc_peak();
    proto::ExecutorSnapshot forth = early, back = late;
    JoinSnapshot(late, forth);
    JoinSnapshot(early, back);
    for (const proto::ExecutorSnapshot* joined : {&forth, &back}) {
      EXPECT_EQ(joined->heap_after_gc().bytes(), 300u);
      EXPECT_EQ(joined->heap_after_gc().collection(), "PS MarkSweep");
      EXPECT_EQ(joined->heap_after_gc_peak().bytes(), trimmed ? 900u : 700u) << "a collection of the whole heap took the rest back";
      EXPECT_EQ(joined->heap_after_gc_peak().time_ms(), trimmed ? 1000 : 1500);
    }
  }
}

TEST(Snapshots, OfAnOlderAgentsPeaksThoseOfTheWholeHeapAreTaken) {
  proto::ExecutorSnapshot young, whole;
  young.mutable_heap_after_gc_peak()->set_bytes(900);
  whole.mutable_heap_after_gc_peak()->set_bytes(300);
  whole.mutable_heap_after_gc_peak()->set_whole_heap(true);
  proto::ExecutorSnapshot forth = young, back = whole;
  JoinSnapshot(whole, forth);
  JoinSnapshot(young, back);
  EXPECT_EQ(forth.heap_after_gc_peak().bytes(), 300u);
  EXPECT_EQ(back.heap_after_gc_peak().bytes(), 300u);
}

// A wall clock that is set back by an hour orders nothing.
TEST(Snapshots, TheLastMomentIsTheOneOfTheClockThatIsNeverSetBack) {
  proto::ExecutorSnapshot before, after;
  before.mutable_last()->set_time_ms(3'600'000'000);
  before.mutable_last()->set_clock_ms(70'000);
  before.mutable_last()->set_used_bytes(900);
  after.mutable_last()->set_time_ms(3'596'400'500);
  after.mutable_last()->set_clock_ms(70'500);
  after.mutable_last()->set_used_bytes(300);
  proto::ExecutorSnapshot first = before, second = after;
  JoinSnapshot(after, first);
  JoinSnapshot(before, second);
  EXPECT_EQ(first.last().used_bytes(), 300u);
  EXPECT_EQ(second.last().used_bytes(), 300u);
}

TEST(Snapshots, SoAreSparksPoolsAndTheHeapAfterACollection) {
  const auto make = [](int64_t time_ms, int64_t clock_ms, uint64_t bytes) {
    proto::ExecutorSnapshot snapshot;
    proto::SparkPool& pool = *snapshot.add_spark_pools();
    pool.mutable_last()->set_storage_bytes(bytes);
    pool.set_last_ms(time_ms);
    pool.set_last_clock_ms(clock_ms);
    proto::HeapUse& heap = *snapshot.mutable_heap_after_gc();
    heap.set_bytes(bytes);
    heap.set_time_ms(time_ms);
    heap.set_clock_ms(clock_ms);
    return snapshot;
  };
  const proto::ExecutorSnapshot before = make(3'600'000'000, 70'000, 900), after = make(3'596'400'500, 70'500, 300);
  proto::ExecutorSnapshot first = before, second = after;
  JoinSnapshot(after, first);
  JoinSnapshot(before, second);
  for (const proto::ExecutorSnapshot* joined : {&first, &second}) {
    EXPECT_EQ(joined->spark_pools(0).last().storage_bytes(), 300u);
    EXPECT_EQ(joined->spark_pools(0).last_clock_ms(), 70'500);
    EXPECT_EQ(joined->heap_after_gc().bytes(), 300u);
  }
}

// A pid may be a worker's first and a program's then, and many programs are cut.
TEST(Snapshots, OrderChangesNothingWhereProgramsAreCut) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<proto::ExecutorSnapshot> snapshots(3);
    for (proto::ExecutorSnapshot& snapshot : snapshots) {
      for (int i = 0; i < 30; ++i) {
        proto::Process& process = *snapshot.add_processes();
        process.set_pid(static_cast<int32_t>(1 + random() % 40));
        process.set_kind(random() % 3 == 0 ? "python-worker" : "program");
        process.set_peak_rss_bytes(random() % 1000);
      }
    }
    const std::string all = Joined(snapshots);
    std::rotate(snapshots.begin(), snapshots.begin() + 1, snapshots.end());
    EXPECT_EQ(Joined(snapshots), all);
    proto::ExecutorSnapshot late = snapshots[1];
    JoinSnapshot(snapshots[2], late);
    EXPECT_EQ(Joined({snapshots[0], late}), all) << "the later two first";
  }
}

TEST(Snapshots, ProgramsDontCrowdOutWorkers) {
  proto::ExecutorSnapshot joined;
  for (int i = 0; i < 200; ++i) {
    proto::ExecutorSnapshot one;
    proto::Process& process = *one.add_processes();
    process.set_pid(1000 + i);
    process.set_kind(i < 10 ? "python-worker" : "program");
    process.set_peak_rss_bytes(i < 10 ? 100 : 1000 + static_cast<uint64_t>(i));
    JoinSnapshot(one, joined);
  }
  EXPECT_EQ(joined.processes_size(), 10 + kMaxPrograms);
  EXPECT_EQ(joined.processes(0).peak_rss_bytes(), 1199u) << "the largest first";
  EXPECT_EQ(joined.processes(joined.processes_size() - 1).kind(), "python-worker");
}

TEST(Snapshots, OfALimitThatWasChangedTheLaterIsKept) {
  proto::ExecutorSnapshot before, raised, lowered, unread;
  before.set_cgroup_limit_bytes(2000);
  before.set_cgroup_limit_clock_ms(10);
  raised.set_cgroup_limit_bytes(3000);
  raised.set_cgroup_limit_clock_ms(20);
  lowered.set_cgroup_limit_bytes(1000);
  lowered.set_cgroup_limit_clock_ms(30);
  JoinSnapshot(raised, before);
  EXPECT_EQ(before.cgroup_limit_bytes(), 3000u);
  JoinSnapshot(lowered, before);
  EXPECT_EQ(before.cgroup_limit_bytes(), 1000u);
  JoinSnapshot(raised, before);
  JoinSnapshot(unread, before);
  EXPECT_EQ(before.cgroup_limit_bytes(), 1000u) << "an older word, and one of a cgroup that was removed";
  lowered.set_cgroup_limit_bytes(900);
  JoinSnapshot(lowered, before);
  EXPECT_EQ(before.cgroup_limit_bytes(), 900u) << "of one moment the smaller";
}

// On YARN a NodeManager's control group may stand for it, whose limit is changed in place, or set when the executor runs already.
TEST(Snapshots, TheHostIsTheOneThatWasReadLast) {
  proto::ExecutorSnapshot joined, lowered, of_host;
  joined.set_host_memory_bytes(3000);
  joined.set_host_is_group(true);
  joined.set_host_memory_clock_ms(10);
  lowered.set_host_memory_bytes(2000);
  lowered.set_host_is_group(true);
  lowered.set_host_memory_clock_ms(20);
  of_host.set_host_memory_bytes(9000);
  of_host.set_host_memory_clock_ms(30);
  JoinSnapshot(lowered, joined);
  EXPECT_EQ(joined.host_memory_bytes(), 2000u);
  EXPECT_TRUE(joined.host_is_group());
  JoinSnapshot(of_host, joined);
  JoinSnapshot(lowered, joined);
  JoinSnapshot({}, joined);
  EXPECT_EQ(joined.host_memory_bytes(), 9000u) << "an older word, and none, come too late";
  EXPECT_FALSE(joined.host_is_group()) << "its limit was lifted";
}

TEST(Snapshots, KillsAreThoseOfTheCgroupThatTheExecutorWasInLast) {
  proto::ExecutorSnapshot before, after, nothing;
  before.set_cgroup("/z");
  before.set_cgroup_clock_ms(1000);
  before.set_oom_kills(7);
  before.set_oom_kills_at_start(2);
  after.set_cgroup("/a");
  after.set_cgroup_clock_ms(2000);
  after.set_oom_kills(3);
  for (const auto& order : {std::vector{before, after, nothing}, std::vector{nothing, after, before}}) {
    proto::ExecutorSnapshot joined;
    for (const proto::ExecutorSnapshot& each : order) JoinSnapshot(each, joined);
    EXPECT_EQ(joined.cgroup(), "/a");
    EXPECT_EQ(joined.oom_kills(), 3u);
    EXPECT_FALSE(joined.has_oom_kills_at_start()) << "that was the other one's";
  }
}

TEST(Snapshots, OfSwapTheMostAndWhatIsLeftLastAreKept) {
  proto::ExecutorSnapshot first, second;
  const auto put = [](proto::ExecutorSnapshot& snapshot, uint64_t peak, uint64_t beside_jvm, uint64_t left, int64_t clock_ms) {
    proto::SwapUse& swap = *snapshot.mutable_swap();
    swap.set_peak_bytes(peak);
    swap.set_beside_jvm_bytes(beside_jvm);
    swap.set_left_bytes(left);
    swap.set_clock_ms(clock_ms);
  };
  put(first, 900, 300, 11, 5);
  put(second, 700, 400, 77, 6);
  for (const bool forwards : {true, false}) {
    proto::ExecutorSnapshot joined;
    JoinSnapshot(forwards ? first : second, joined);
    JoinSnapshot(forwards ? second : first, joined);
    EXPECT_EQ(joined.swap().peak_bytes(), 900u);
    EXPECT_EQ(joined.swap().beside_jvm_bytes(), 300u);
    EXPECT_EQ(joined.swap().left_bytes(), 77u);
  }
  proto::ExecutorSnapshot none;
  JoinSnapshot({}, none);
  EXPECT_FALSE(none.has_swap());
}

// In a small pid namespace, and in a long job, a new worker gets the pid of one that has gone.
TEST(Snapshots, ALaterProcessOfTheSamePidIsAnotherProcess) {
  const auto snapshot = [](uint64_t start_ticks, uint64_t peak, int64_t task, bool alive) {
    proto::ExecutorSnapshot made;
    proto::Process& process = *made.add_processes();
    process.set_pid(17);
    process.set_kind("python-worker");
    process.set_start_ticks(start_ticks);
    process.set_peak_rss_bytes(peak);
    process.set_last_task_attempt_id(task);
    process.set_alive(alive);
    return made;
  };
  proto::ExecutorSnapshot all;
  JoinSnapshot(snapshot(100, 218'000'000, 3, true), all);
  JoinSnapshot(snapshot(100, 218'000'000, 3, false), all);
  JoinSnapshot(snapshot(900, 51'000'000, 8, true), all);
  ASSERT_EQ(all.processes_size(), 2);
  EXPECT_EQ(all.processes(0).peak_rss_bytes(), 218'000'000u);
  EXPECT_EQ(all.processes(0).last_task_attempt_id(), 3);
  EXPECT_FALSE(all.processes(0).alive());
  EXPECT_EQ(all.processes(1).peak_rss_bytes(), 51'000'000u);
  EXPECT_TRUE(all.processes(1).alive());

  proto::ExecutorSnapshot older;  // an agent that doesn't send it: by the pid alone
  JoinSnapshot(snapshot(0, 218'000'000, 3, true), older);
  JoinSnapshot(snapshot(0, 51'000'000, 8, true), older);
  EXPECT_EQ(older.processes_size(), 1);
}

TEST(Snapshots, KeepTheLargestOfVeryManyProcesses) {
  proto::ExecutorSnapshot all;
  for (int pid = 1; pid <= 500; ++pid) {
    proto::ExecutorSnapshot snapshot;
    proto::Process& process = *snapshot.add_processes();
    process.set_pid(pid);
    process.set_peak_rss_bytes(static_cast<uint64_t>(pid) * 10);
    JoinSnapshot(snapshot, all);
  }
  ASSERT_EQ(all.processes_size(), kMaxProcesses);
  EXPECT_EQ(all.processes(0).pid(), 500);
}

}  // namespace
}  // namespace memprof
