#include <cmath>
#include <random>

#include "core/sites/recorder_fixture.h"
#include "sites/recorder.h"

namespace memprof {
namespace {

TEST_F(RecorderTest, RecursionAndDepthAreFoldedAway) {
  Start();
  recorder_->OpenSession(Task(1));
  std::vector<FrameId> stack = {Line("main", 1)};
  for (int i = 0; i < 900; ++i) stack.push_back(Line("walk", 2));
  stack.push_back(Line("leaf", 3));
  Allocate(kSomewhere, 70'001, stack);
  BoxSession session = ReadTask(1);
  EXPECT_EQ(Functions(session, session.sites.at(0)), (std::vector<std::string>{"main", "walk", "leaf"}));
}

TEST_F(RecorderTest, UnknownFramesAreLeftOut) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 70'001, {Line("main", 1), kNoFrame, Line("leaf", 3)});
  BoxSession session = ReadTask(1);
  EXPECT_EQ(Functions(session, session.sites.at(0)), (std::vector<std::string>{"main", "leaf"}));
}

TEST_F(RecorderTest, AFullSiteTableLosesNoBytesAndLargeBlocksFindAPlace) {
  Start(kInterval, 1u << 20);
  recorder_->OpenSession(Task(1));
  uint64_t allocated = 0;
  uintptr_t address = kSomewhere;
  for (uint32_t line = 1; line <= 3000; ++line) {
    AllocateSampled(address += 0x1000, 1000, 66'000, 66, {Line("caller", line % 60), Line("small", line / 60)});
    allocated += 66'000;
    if (line % 2 == 0) recorder_->Freeing(address);
  }
  for (uint32_t line = 1; line <= 50; ++line) {
    Allocate(0x7f00'0000'0000 + uintptr_t{line} * 0x1000'0000, 2'000'003, {Line("large", line)});
    allocated += 2'000'003;
  }
  BoxSession session = ReadTask(1);
  uint64_t allocated_of_sites = 0, live = 0, at_peak = 0, large = 0;
  for (const BoxSite& site : session.sites) {
    allocated_of_sites += site.allocated_bytes;
    live += site.live_bytes;
    at_peak += site.live_at_peak_bytes;
    large += InnermostFunction(session, site) == "large";
  }
  EXPECT_EQ(session.allocated_bytes, allocated);
  EXPECT_EQ(allocated_of_sites, allocated);
  EXPECT_EQ(live, session.live_bytes);
  EXPECT_EQ(at_peak, session.live_peak_bytes);
  EXPECT_EQ(large, 50u);
  EXPECT_GT(recorder_->counters().evicted_sites, 0u);
  EXPECT_GT(recorder_->counters().dropped_sites, 0u);
  // Blocks whose site was evicted or had no place are given back all the same.
  uint64_t expected = session.live_bytes;
  address = kSomewhere;
  for (uint32_t line = 1; line <= 3000; ++line) {
    address += 0x1000;
    if (line % 2 == 0) continue;
    recorder_->Freeing(address);
    expected -= 66'000;
  }
  session = ReadTask(1);
  live = 0;
  for (const BoxSite& site : session.sites) live += site.live_bytes;
  EXPECT_EQ(session.live_bytes, expected);
  EXPECT_EQ(live, expected);
}

TEST_F(RecorderTest, AFullLiveSetIsThinnedWithoutBias) {
  // 2 × 10⁴ blocks of 1000 bytes in a live set of about 4,900, 20 times over.
  constexpr uint64_t kBlocks = 20'000, kSize = 1000, kWeight = 66'037;
  double sum = 0, squares = 0, stated = 0;
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    Start(kInterval, 1u << 20);
    recorder_->OpenSession(Task(1));
    Allocate(0x7f00'0000'0000, 5'000'011, {Line("large", 1)});
    for (uintptr_t i = 0; i < kBlocks; ++i) AllocateSampled(kSomewhere + i * 1024, kSize, kWeight, 66, {Line("small", 2)});
    BoxSession session = ReadTask(1);
    const BoxSite* small = SiteOf(session, "small");
    EXPECT_EQ(small->allocated_bytes, kBlocks * kWeight) << "allocated bytes are not thinned";
    EXPECT_EQ(SiteOf(session, "large")->live_bytes, 5'000'011u) << "exact blocks stay exact";
    EXPECT_FALSE(SiteOf(session, "large")->sampled);
    EXPECT_GE(recorder_->counters().interval_doublings, 2u);
    EXPECT_EQ(recorder_->counters().dropped_live, 0u);
    EXPECT_EQ(session.live_bytes, small->live_bytes + 5'000'011u);
    double live = static_cast<double>(small->live_bytes) / kWeight - kBlocks;
    sum += live;
    squares += live * live;
    // Given the samples, thinning by k halvings adds (2^k - 1) per block, in squared weights.
    stated += kBlocks * (std::pow(2.0, static_cast<double>(recorder_->counters().interval_doublings)) - 1);
    // Whatever was kept, all of it can be given back.
    for (uintptr_t i = 0; i < kBlocks; ++i) recorder_->Freeing(kSomewhere + i * 1024);
    EXPECT_EQ(ReadTask(1).live_bytes, 5'000'011u);
    recorder_->Finish();
    recorder_ = nullptr;
  }
  EXPECT_NEAR(sum / kRounds, 0, 4 * std::sqrt(stated) / kRounds);
  EXPECT_LT(squares, 3 * stated);
}

TEST_F(RecorderTest, ATaskAfterOneThatThinnedIsCountedAsBefore) {
  Start(kInterval, 1u << 20);
  recorder_->OpenSession(Task(1));
  const auto doublings = [](const BoxSession& session) {
    uint64_t value = 0;
    for (const BoxCounter& counter : session.counters) value += counter.name == "intervalDoublings" ? counter.value : 0;
    return value;
  };
  constexpr uintptr_t kMany = 20'000;
  for (uintptr_t i = 0; i < kMany; ++i) AllocateSampled(kSomewhere + i * 1024, 1000, 66'037, 66, {Line("many", 1)});
  const uint64_t thinned = doublings(ReadTask(1));
  EXPECT_GE(thinned, 2u);

  recorder_->OpenSession(Task(2));
  EXPECT_EQ(doublings(ReadTask(2)), thinned) << "what the first task left still fills the set";

  for (uintptr_t i = 0; i < kMany; ++i) recorder_->Freeing(kSomewhere + i * 1024);
  recorder_->OpenSession(Task(3));
  constexpr uint64_t kBlocks = 100, kSize = 300'007;
  for (uintptr_t i = 0; i < kBlocks; ++i) Allocate(2 * kSomewhere + i * 0x100000, kSize, {Line("exact", 2)});
  const BoxSession session = ReadTask(3);
  EXPECT_EQ(SiteOf(session, "exact")->live_bytes, kBlocks * kSize);
  EXPECT_FALSE(SiteOf(session, "exact")->sampled);
  EXPECT_EQ(doublings(session), 0u);
}

TEST_F(RecorderTest, ALiveSetFullOfLargeBlocksIsNotThinned) {
  Start(kInterval, 1u << 20);
  recorder_->OpenSession(Task(1));
  constexpr uint64_t kBlocks = 6000;
  for (uintptr_t i = 1; i <= kBlocks; ++i) Allocate(kSomewhere + i * 0x200000 + 16, 1'100'009, {Line("large", 1)});
  const Recorder::Counters counters = recorder_->counters();
  EXPECT_EQ(counters.interval_doublings, 0u);
  EXPECT_GT(counters.dropped_live, 500u);
  BoxSession session = ReadTask(1);
  EXPECT_EQ(session.live_bytes, (kBlocks - counters.dropped_live) * 1'100'009);
  EXPECT_EQ(session.allocated_bytes, kBlocks * 1'100'009);
}

// When all sites have live bytes, a large block takes the place of the smallest; that one's blocks are given back from the
// overflow site, and not from whoever has their old place.
TEST_F(RecorderTest, BlocksOfAnEvictedSiteBelongToTheOverflow) {
  Start(kInterval, 1u << 20);
  recorder_->OpenSession(Task(1));
  std::vector<uintptr_t> small;
  for (uint32_t line = 1; line <= 2000; ++line) {
    small.push_back(kSomewhere + line * 0x1000);
    AllocateSampled(small.back(), 1000, 66'000, 66, {Line("caller", line % 50), Line("small", line / 50)});
  }
  for (uint32_t line = 1; line <= 400; ++line) {
    Allocate(0x7f00'0000'0000 + uintptr_t{line} * 0x1000'0000, 2'000'003, {Line("large", line)});
  }
  EXPECT_GT(recorder_->counters().evicted_sites, 100u);
  for (uintptr_t address : small) recorder_->Freeing(address);
  BoxSession session = ReadTask(1);
  EXPECT_EQ(session.live_bytes, 400u * 2'000'003);
  uint32_t large = 0;
  for (const BoxSite& site : session.sites) {
    const bool is_large = InnermostFunction(session, site) == "large";
    EXPECT_EQ(site.live_bytes, is_large ? 2'000'003 : 0);
    large += is_large;
  }
  EXPECT_EQ(large, 400u);
}

TEST_F(RecorderTest, BlocksOfAnEvictedSiteOutliveTheirTaskWithTheirOrigin) {
  Start(kInterval, 1u << 20);
  recorder_->OpenSession(Task(1));
  for (uint32_t line = 1; line <= 2000; ++line) {
    AllocateSampled(kSomewhere + line * 0x1000, 1000, 66'000, 66, {Line("caller", line % 50), Line("small", line / 50)});
  }
  for (uint32_t line = 1; line <= 400; ++line) {
    Allocate(0x7f00'0000'0000 + uintptr_t{line} * 0x1000'0000, 2'000'003, {Line("large", line)});
  }
  recorder_->CloseSession();
  BoxSession process = ReadTask(-1);
  EXPECT_EQ(process.live_bytes, 400u * 2'000'003 + 2000u * 66'000);
  for (const BoxSite& site : process.sites) EXPECT_EQ(site.origin, Origin::kPython);
}

// Everything at once, in a box too small for it: whatever is evicted, dropped, thinned, cut or passed on, the rows of a
// session add up to its totals.
class OverflowTest : public RecorderTest, public ::testing::WithParamInterface<uint64_t> {};

// Of small intervals the site table is written in batches.
INSTANTIATE_TEST_SUITE_P(Intervals, OverflowTest, ::testing::Values(uint64_t{65'536}, uint64_t{1}));

TEST_P(OverflowTest, RowsAddUpWhateverOverflows) {
  Start(GetParam(), 1u << 20);
  std::mt19937_64 random(99);
  std::vector<uintptr_t> blocks;
  uintptr_t next = kSomewhere;
  uint64_t allocated = 0;
  auto check = [&](int64_t task) {
    BoxSession session = ReadTask(task);
    uint64_t of_sites = 0, live = 0, at_peak = 0;
    for (const BoxSite& site : session.sites) {
      of_sites += site.allocated_bytes;
      live += site.live_bytes;
      at_peak += site.live_at_peak_bytes;
      // Survivors of earlier tasks are live in the process without having been allocated there.
      EXPECT_LE(site.live_bytes, task < 0 ? session.live_bytes : session.allocated_bytes) << "task " << task;
      EXPECT_LE(site.live_at_peak_bytes, session.live_peak_bytes) << "task " << task;
    }
    EXPECT_EQ(session.skipped_records, 0u);
    EXPECT_EQ(of_sites, session.allocated_bytes) << "task " << task;
    EXPECT_EQ(live, session.live_bytes) << "task " << task;
    EXPECT_EQ(at_peak, session.live_peak_bytes) << "task " << task;
    EXPECT_EQ(session.checksum_ok, session.closed);
    return session.allocated_bytes;
  };
  auto sample = [&](uintptr_t address, const std::vector<FrameId>& stack) {
    const uint64_t size = random() % 20 == 0 ? 1'000'000 + random() % 5'000'000 : 1 + random() % 300'000;
    const uint64_t weight = size < 4 * kInterval ? size + 66'000 : size;
    allocated += weight;
    return Sample{Origin::kPython, address, size, weight, 1 + size % 3, Stack(stack, size)};
  };
  for (int64_t task = 1; task <= 12; ++task) {
    recorder_->OpenSession(Task(task));
    allocated = 0;
    for (int step = 0; step < 2500; ++step) {
      const std::vector<FrameId> stack = {Line("outer", 1 + static_cast<uint32_t>(random() % 40)),
                                          Line("inner", 1 + static_cast<uint32_t>(random() % 40))};
      const uint64_t dice = random() % 20;
      if (blocks.empty() || dice < 14) {
        recorder_->Allocated(sample(next += 0x800000, stack));
        blocks.push_back(next);
        continue;
      }
      const size_t index = random() % blocks.size();
      const uintptr_t address = blocks[index];
      if (dice == 14) {
        recorder_->Resized(address, sample(address, stack));
      } else if (dice == 15) {
        recorder_->UnmappingRange(address + 0x1000, address + 0x3000);
      } else {
        recorder_->Freeing(address);
        blocks[index] = blocks.back();
        blocks.pop_back();
      }
    }
    const bool in_batches = GetParam() == 1;  // the box has all of them when the session is closed
    if (in_batches) recorder_->CloseSession();
    EXPECT_EQ(check(task), allocated);
    check(-1);
    if (task % 5 == 0) recorder_->CloseSession();
  }
  recorder_->CloseSession();
  BoxReader reader = OpenBox();
  for (const BoxReader::SessionKey& key : reader.Sessions()) check(key.task_attempt_id);
  const Recorder::Counters counters = recorder_->counters();
  EXPECT_GT(counters.evicted_sites, 0u);
  EXPECT_GT(counters.dropped_sites, 0u);
  if (GetParam() != 1) {
    EXPECT_GT(counters.interval_doublings, 0u);
  }
}

TEST_F(RecorderTest, FullInternTablesAreCountedAndStartAnewWhenNobodyWaits) {
  Start(kInterval, 1u << 20);
  recorder_->OpenSession(Task(1));
  const uint32_t epoch = recorder_->intern_epoch();
  FrameId known = Line("known", 1);
  const uint32_t module = recorder_->InternModule(Ref("/opt/liba.so"), Ref("00ff"));
  EXPECT_TRUE(recorder_->IsCurrent(module));
  uint32_t line = 2;
  while (Line("filler", line) != kNoFrame) ASSERT_LT(++line, 100'000u);
  EXPECT_EQ(Line("known", 1), known);
  // Its strings are full as well before long; a frame that needs a new one is refused.
  EXPECT_EQ(recorder_->counters().dropped_frames, 1u);
  Allocate(kSomewhere, 70'001, {kNoFrame});
  recorder_->OpenSession(Task(2));  // task 1 waits: the tables stay
  EXPECT_EQ(recorder_->intern_epoch(), epoch);
  BoxSession session = ReadTask(1);
  EXPECT_EQ(session.sites.at(0).stack, 0u);
  EXPECT_EQ(session.sites.at(0).allocated_bytes, 70'001u);
  bool counted = false;
  for (const BoxCounter& counter : session.counters) counted |= counter.name == "droppedFrames" && counter.value == 1;
  EXPECT_TRUE(counted);

  recorder_->CloseSession();
  BoxReader reader = OpenBox();
  for (const BoxReader::SessionKey& key : reader.Sessions()) {
    if (key.closed) {
      ASSERT_TRUE(reader.Acknowledge(key.number).ok());
    }
  }
  recorder_->OpenSession(Task(3));
  EXPECT_NE(recorder_->intern_epoch(), epoch);
  // An id of before is recognised, and not taken for another frame.
  FrameId fresh = Line("fresh", 1);
  EXPECT_NE(fresh, known);
  Allocate(kSomewhere, 70'001, {known, fresh});
  session = ReadTask(3);
  EXPECT_EQ(session.skipped_records, 0u);
  EXPECT_EQ(Functions(session, session.sites.at(0)), (std::vector<std::string>{"fresh"}));
  EXPECT_EQ(recorder_->counters().dropped_frames, 2u);
  // Nor is a frame named without its module because that is of before.
  EXPECT_FALSE(recorder_->IsCurrent(module));
  EXPECT_EQ(recorder_->InternNativeFrame(module, 0x41), kNoFrame);
  EXPECT_EQ(recorder_->counters().dropped_frames, 3u);
}

TEST_F(RecorderTest, LongTextsAreCutAtACharacter) {
  Start();
  recorder_->OpenSession(Task(1));
  std::string name(1023, 'x');
  name += "\xe2\x82\xac tail";  // the euro sign would be cut in two
  Allocate(kSomewhere, 70'001, {Line(name, 1)});
  BoxSession session = ReadTask(1);
  EXPECT_EQ(InnermostFunction(session, session.sites.at(0)), std::string(1023, 'x'));
}

TEST_F(RecorderTest, UdfsAndCountersAreBounded) {
  Start();
  const auto add_udf = [&](uint32_t line) { return recorder_->AddUdf(Ref("udf"), Ref("/jobs/job.py"), line, Ref("BATCHED_UDF")); };
  EXPECT_TRUE(add_udf(1)) << "outside of a session there is nothing that lacks room";
  recorder_->OpenSession(Task(1));
  for (uint32_t i = 0; i < 40; ++i) {
    EXPECT_EQ(add_udf(i), i < 32) << i;
    EXPECT_EQ(add_udf(i), i < 31) << i << " is there already";
    recorder_->SetCounter(Ref("counter" + std::to_string(i)), i);
  }
  recorder_->SetCounter(Ref("counter3"), 333);
  BoxSession session = ReadTask(1);
  EXPECT_EQ(session.udfs.size(), 32u);
  EXPECT_EQ(session.counters.size(), 16u);
  EXPECT_EQ(session.counters.at(3).value, 333u);
}

}  // namespace
}  // namespace memprof
