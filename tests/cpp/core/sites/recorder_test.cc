#include "sites/recorder.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "base/clock.h"
#include "core/sites/recorder_fixture.h"

namespace memprof {
namespace {

// Addresses nobody maps: below 1 MiB sizes nothing looks at them.
constexpr uintptr_t kSomewhere = 0x10'0000'0000;

TEST_F(RecorderTest, ASessionReadsBackWhatWasRecorded) {
  Start();
  recorder_->OpenSession(Task(17));
  recorder_->AddUdf(Ref("aggregate"), Ref("/jobs/job.py"), 41, Ref("MAP_PANDAS_ITER"));
  uint32_t module = recorder_->InternModule(Ref("/opt/libhidden.so"), Ref("00ff"));
  std::vector<FrameId> stack = {Line("main", 10), Line("aggregate", 41), Line("call_library", 7),
                                recorder_->InternNativeFrame(module, 0x1234)};
  Allocate(kSomewhere, 999'983, stack);
  Allocate(kSomewhere + 0x200000, 1'000'003, {Line("main", 10), Line("other", 3)});
  recorder_->Freeing(kSomewhere + 0x200000);
  recorder_->SetCounter(Ref("arrowPoolPeakBytes"), 12'345);
  recorder_->CloseSession();

  BoxSession session = ReadTask(17);
  EXPECT_TRUE(session.closed);
  EXPECT_TRUE(session.checksum_ok);
  EXPECT_EQ(session.skipped_records, 0u);
  EXPECT_EQ(session.stage_id, 3);
  EXPECT_EQ(session.partition, 5);
  EXPECT_EQ(session.attempt_number, 1);
  EXPECT_EQ(session.allocated_bytes, 999'983u + 1'000'003u);
  EXPECT_EQ(session.live_peak_bytes, 999'983u + 1'000'003u);
  EXPECT_EQ(session.live_bytes, 999'983u);
  EXPECT_GT(session.rss_at_open_bytes, 0u);
  EXPECT_GE(session.rss_max_bytes, session.rss_at_open_bytes);
  EXPECT_GT(session.opened_ms, 0);
  EXPECT_GE(session.closed_ms, session.opened_ms);
  ASSERT_EQ(session.sites.size(), 2u);
  ASSERT_EQ(session.udfs.size(), 1u);
  EXPECT_EQ(session.udfs[0].name, "aggregate");
  EXPECT_EQ(session.udfs[0].file, "/jobs/job.py");
  EXPECT_EQ(session.udfs[0].line, 41u);
  EXPECT_EQ(session.udfs[0].kind, "MAP_PANDAS_ITER");
  ASSERT_EQ(session.counters.size(), 1u);
  EXPECT_EQ(session.counters[0].name, "arrowPoolPeakBytes");
  EXPECT_EQ(session.counters[0].value, 12'345u);

  const BoxSite* native = SiteOf(session, "");
  ASSERT_NE(native, nullptr);
  const BoxFrame& innermost = session.frames[session.stacks[native->stack - 1].frame];
  EXPECT_EQ(innermost.language, Language::kNative);
  EXPECT_EQ(innermost.module, "/opt/libhidden.so");
  EXPECT_EQ(innermost.build_id, "00ff");
  EXPECT_EQ(innermost.offset, 0x1234u);
  EXPECT_EQ(Functions(session, *native), (std::vector<std::string>{"main", "aggregate", "call_library", ""}));
  EXPECT_EQ(native->allocated_bytes, 999'983u);
  EXPECT_EQ(native->allocations, 1u);
  EXPECT_EQ(native->live_at_peak_bytes, 999'983u);
  EXPECT_FALSE(native->sampled);
  EXPECT_EQ(native->variance, 0);
  EXPECT_FALSE(native->has_resident);

  const BoxSite* other = SiteOf(session, "other");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->live_bytes, 0u);
  EXPECT_EQ(other->live_at_peak_bytes, 1'000'003u);
  const BoxFrame& line = session.frames[session.stacks[other->stack - 1].frame];
  EXPECT_EQ(line.file, "/jobs/helper.py");
  EXPECT_EQ(line.line, 3u);
  EXPECT_EQ(line.first_line, 1u);
}

TEST_F(RecorderTest, OutsideOfSessionsThereIsTheProcess) {
  Start();
  Allocate(kSomewhere, 70'001, {Line("import numpy", 1)});
  recorder_->OpenSession(Task(5));
  Allocate(kSomewhere + 0x100000, 80'021, {Line("udf", 2)});
  recorder_->Freeing(kSomewhere);  // the process-level block, freed during a task
  recorder_->CloseSession();

  BoxSession process = ReadTask(-1);
  EXPECT_FALSE(process.closed);
  EXPECT_EQ(process.allocated_bytes, 70'001u);
  EXPECT_EQ(SiteOf(process, "import numpy")->live_bytes, 0u);
  BoxSession task = ReadTask(5);
  ASSERT_EQ(task.sites.size(), 1u);
  EXPECT_EQ(SiteOf(task, "udf")->allocated_bytes, 80'021u);
}

TEST_F(RecorderTest, WhatOutlivesItsTaskGoesToTheProcess) {
  Start();
  recorder_->OpenSession(Task(5));
  Allocate(kSomewhere, 90'001, {Line("cache", 2)});
  AllocateSampled(kSomewhere + 0x100000, 100, 65'586, 656, {Line("small", 3)});
  recorder_->CloseSession();
  BoxSession task = ReadTask(5);
  EXPECT_EQ(SiteOf(task, "cache")->live_bytes, 90'001u);
  BoxSession process = ReadTask(-1);
  EXPECT_EQ(process.allocated_bytes, 0u);
  EXPECT_EQ(process.live_bytes, 90'001u + 65'586u);
  EXPECT_EQ(SiteOf(process, "cache")->live_at_peak_bytes, 90'001u);
  EXPECT_EQ(SiteOf(process, "cache")->allocated_bytes, 0u);
  EXPECT_FALSE(SiteOf(process, "cache")->sampled);
  EXPECT_TRUE(SiteOf(process, "small")->sampled);

  // Freed later: the process gives it back, the closed session stays as it was sealed.
  recorder_->Freeing(kSomewhere);
  task = ReadTask(5);
  EXPECT_EQ(SiteOf(task, "cache")->live_bytes, 90'001u);
  EXPECT_TRUE(task.checksum_ok);
  EXPECT_EQ(ReadTask(-1).live_bytes, 65'586u);
}

TEST_F(RecorderTest, OpeningClosesAnOpenSessionAndTheTaskCanBeNamedLater) {
  Start();
  recorder_->OpenSession({});
  recorder_->SetTask({77, 8, 1, 2, 3});
  Allocate(kSomewhere, 90'001, {Line("a", 2)});
  recorder_->OpenSession(Task(78));
  BoxSession first = ReadTask(77);
  EXPECT_TRUE(first.closed);
  EXPECT_EQ(first.stage_id, 8);
  EXPECT_EQ(first.stage_attempt, 1);
  EXPECT_EQ(first.partition, 2);
  EXPECT_EQ(first.attempt_number, 3);
  EXPECT_EQ(first.allocated_bytes, 90'001u);
  EXPECT_FALSE(ReadTask(78).closed);
}

// A reused worker opens its session when it begins to wait; other workers may serve the same task meanwhile.
TEST_F(RecorderTest, ASessionsTimeBeginsWhenItsTaskIsKnown) {
  Start();
  recorder_->OpenSession({});
  usleep(20'000);
  const int64_t known_ms = EpochMs();
  recorder_->SetTask({77, 8, 1, 2, 3});
  const int64_t begun_ms = ReadTask(77).opened_ms;
  EXPECT_GE(begun_ms, known_ms);
  usleep(20'000);
  recorder_->SetTask({77, 8, 1, 2, 3});  // nothing new
  EXPECT_EQ(ReadTask(77).opened_ms, begun_ms);
}

TEST_F(RecorderTest, SampledBlocksCarryTheirVariance) {
  Start();
  recorder_->OpenSession(Task(1));
  std::vector<FrameId> stack = {Line("objects", 4)};
  AllocateSampled(kSomewhere, 100, 65'586, 656, stack);
  AllocateSampled(kSomewhere + 0x1000, 200, 65'636, 328, stack);
  recorder_->Freeing(kSomewhere);
  BoxSession session = ReadTask(1);
  const BoxSite* site = SiteOf(session, "objects");
  EXPECT_EQ(site->allocated_bytes, 65'586u + 65'636u);
  EXPECT_EQ(site->allocations, 656u + 328u);
  EXPECT_EQ(site->live_bytes, 65'636u);
  EXPECT_EQ(site->live_at_peak_bytes, 65'586u + 65'636u);
  EXPECT_TRUE(site->sampled);
  EXPECT_DOUBLE_EQ(site->variance, 65'586.0 * 65'486 + 65'636.0 * 65'436);
  EXPECT_DOUBLE_EQ(site->peak_variance, site->variance);
}

TEST_F(RecorderTest, ABlockWithoutAnAddressIsOnlyAllocated) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(0, 300'007, {Line("gone", 4)});
  BoxSession session = ReadTask(1);
  EXPECT_EQ(SiteOf(session, "gone")->allocated_bytes, 300'007u);
  EXPECT_EQ(SiteOf(session, "gone")->live_at_peak_bytes, 0u);
}

TEST_F(RecorderTest, AnAddressGivenOutAgainWasFreedUnseen) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 300'007, {Line("first", 4)});
  Allocate(kSomewhere, 200'003, {Line("second", 5)});
  BoxSession session = ReadTask(1);
  EXPECT_EQ(session.live_bytes, 200'003u);
  EXPECT_EQ(SiteOf(session, "first")->live_bytes, 0u);
}

TEST_F(RecorderTest, FreeingWhatIsNotFollowedIsNothing) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 300'007, {Line("a", 4)});
  for (uintptr_t i = 1; i < 300'000; ++i) recorder_->Freeing(kSomewhere + i * 16);
  EXPECT_TRUE(recorder_->MayBeLive(kSomewhere));
  EXPECT_EQ(ReadTask(1).live_bytes, 300'007u);
  recorder_->Freeing(kSomewhere);
  EXPECT_FALSE(recorder_->MayBeLive(kSomewhere));
}

// Less than five milliseconds after the last look.
TEST_F(RecorderTest, TheResidentSetIsReadBeforeALargeBlockIsFreed) {
  constexpr size_t kBytes = 8u << 20;
  Start();
  recorder_->OpenSession(Task(1));
  const uint64_t before = ReadTask(1).rss_max_bytes;
  AllocateSampled(kSomewhere, 101, 66'000, 650, {Line("small", 1)});
  char* block = static_cast<char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0));
  ASSERT_NE(block, MAP_FAILED);
  Allocate(reinterpret_cast<uintptr_t>(block), kBytes, {Line("large", 2)});
  recorder_->Freeing(reinterpret_cast<uintptr_t>(block));
  munmap(block, kBytes);
  EXPECT_GT(ReadTask(1).rss_max_bytes, before + kBytes / 2);
}

// The reading that its own allocation led to knew nothing of its pages.
TEST_F(RecorderTest, TheResidentSetIsReadAgainBeforeALargeBlockIsFreedThatWasUntouchedThen) {
  constexpr size_t kBytes = 4u << 20;
  Start();
  recorder_->OpenSession(Task(1));
  char* block = static_cast<char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(block, MAP_FAILED);
  usleep(10'000);
  const uint64_t before = ReadTask(1).rss_max_bytes;
  Allocate(reinterpret_cast<uintptr_t>(block), kBytes, {Line("large", 1)});
  memset(block, 1, kBytes);
  recorder_->Freeing(reinterpret_cast<uintptr_t>(block));
  munmap(block, kBytes);
  EXPECT_GT(ReadTask(1).rss_max_bytes, before + kBytes / 2);
}

// ---- realloc

TEST_F(RecorderTest, AReallocIsOneStep) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 300'007, {Line("list", 4)});
  const Sample bigger = {Origin::kPython, kSomewhere + 0x100000, 400'009, 400'009, 1, kNoStack};
  recorder_->Resized(kSomewhere, bigger);
  BoxSession session = ReadTask(1);
  EXPECT_EQ(session.live_peak_bytes, 400'009u) << "old and new were never there together";
  EXPECT_EQ(SiteOf(session, "list")->live_at_peak_bytes, 0u);
  // In place.
  recorder_->Resized(kSomewhere + 0x100000, {Origin::kPython, kSomewhere + 0x100000, 500'009, 500'009, 1, kNoStack});
  EXPECT_EQ(ReadTask(1).live_bytes, 500'009u);
}

TEST_F(RecorderTest, TheOldAddressOfAReallocMayGoToAnotherThread) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 300'007, {Line("mine", 4)});
  Recorder::Detached old = recorder_->Detach(kSomewhere);
  Allocate(kSomewhere, 100'003, {Line("theirs", 5)});  // the real realloc has moved ours, and another thread got the place
  recorder_->Resized(old, {Origin::kPython, kSomewhere + 0x100000, 400'009, 400'009, 1, kNoStack});
  BoxSession session = ReadTask(1);
  EXPECT_EQ(SiteOf(session, "mine")->live_bytes, 0u);
  EXPECT_EQ(SiteOf(session, "theirs")->live_bytes, 100'003u);
  EXPECT_EQ(session.live_bytes, 500'012u);
}

TEST_F(RecorderTest, AReallocThatFailedOrIsNotFollowedAnyMore) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 300'007, {Line("mine", 4)});
  recorder_->Reattach(recorder_->Detach(kSomewhere));
  EXPECT_EQ(ReadTask(1).live_bytes, 300'007u);
  recorder_->Release(recorder_->Detach(kSomewhere));
  EXPECT_EQ(ReadTask(1).live_bytes, 0u);
  recorder_->Freeing(kSomewhere);
  recorder_->Release(recorder_->Detach(kSomewhere));
  recorder_->Reattach(recorder_->Detach(kSomewhere));
  EXPECT_EQ(ReadTask(1).live_bytes, 0u);
}

TEST_F(RecorderTest, ASessionThatClosesDuringAReallocKeepsItsFigures) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 300'007, {Line("mine", 4)});
  Recorder::Detached old = recorder_->Detach(kSomewhere);
  recorder_->OpenSession(Task(2));
  recorder_->Resized(old, {Origin::kPython, kSomewhere, 400'009, 400'009, 1, kNoStack});
  BoxSession first = ReadTask(1);
  EXPECT_TRUE(first.checksum_ok);
  EXPECT_EQ(first.live_bytes, 300'007u);
  EXPECT_EQ(ReadTask(2).live_bytes, 400'009u);
}

// ---- residency

constexpr uint64_t kOddLarge = 33'333'319;

class Mapping {
 public:
  explicit Mapping(uint64_t size) : size_(size) {
    memory_ = static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    madvise(memory_, size, MADV_NOHUGEPAGE);
  }
  ~Mapping() { munmap(memory_, size_); }
  void Fill(uint64_t begin, uint64_t end) { memset(memory_ + begin, 7, end - begin); }
  uintptr_t address() const { return reinterpret_cast<uintptr_t>(memory_); }

 private:
  uint64_t size_;
  char* memory_;
};

TEST_F(RecorderTest, ResidencyIsReadJustBeforeTheBlockGoes) {
  Start();
  recorder_->OpenSession(Task(1));
  Mapping untouched(kOddLarge), half(kOddLarge), full(kOddLarge);
  Allocate(untouched.address(), kOddLarge, {Line("untouched", 1)});
  Allocate(half.address(), kOddLarge, {Line("half", 2)});
  Allocate(full.address(), kOddLarge, {Line("full", 3)});
  BoxSession session = ReadTask(1);
  EXPECT_FALSE(SiteOf(session, "full")->has_resident) << "unread is not 0";
  half.Fill(0, kOddLarge / 2);
  full.Fill(0, kOddLarge);
  for (const Mapping* mapping : {&untouched, &half, &full}) recorder_->Freeing(mapping->address());

  session = ReadTask(1);
  EXPECT_EQ(session.live_bytes, 0u);
  for (const BoxSite& site : session.sites) {
    EXPECT_EQ(site.live_at_peak_bytes, kOddLarge);
    EXPECT_TRUE(site.has_resident);
  }
  EXPECT_LT(SiteOf(session, "untouched")->resident_at_peak_bytes, kOddLarge / 100);
  EXPECT_NEAR(static_cast<double>(SiteOf(session, "half")->resident_at_peak_bytes) / kOddLarge, 0.5, 0.01);
  EXPECT_EQ(SiteOf(session, "full")->resident_at_peak_bytes, kOddLarge);
}

TEST_F(RecorderTest, ResidencyIsReadWhenTheSessionCloses) {
  Start();
  recorder_->OpenSession(Task(1));
  Mapping full(kOddLarge);
  Allocate(full.address(), kOddLarge, {Line("full", 3)});
  full.Fill(0, kOddLarge);
  recorder_->CloseSession();
  BoxSession session = ReadTask(1);
  EXPECT_TRUE(session.checksum_ok);
  EXPECT_EQ(SiteOf(session, "full")->resident_at_peak_bytes, kOddLarge);
  // It lives on in the process, with its reading.
  EXPECT_EQ(SiteOf(ReadTask(-1), "full")->resident_at_peak_bytes, kOddLarge);
}

TEST_F(RecorderTest, ResidencyIsReadWhenRssHasGrown) {
  Start();
  recorder_->OpenSession(Task(1));
  Mapping full(kOddLarge);
  Allocate(full.address(), kOddLarge, {Line("full", 3)});
  full.Fill(0, kOddLarge);
  usleep(7'000);  // RSS is looked at every 5 ms at most
  Allocate(kSomewhere, 70'001, {Line("next sample", 4)});
  BoxSession session = ReadTask(1);
  EXPECT_FALSE(session.closed);
  EXPECT_EQ(SiteOf(session, "full")->resident_at_peak_bytes, kOddLarge);
  EXPECT_FALSE(SiteOf(session, "next sample")->has_resident);
  EXPECT_GT(session.rss_max_bytes, session.rss_at_open_bytes + kOddLarge / 2);
}

TEST_F(RecorderTest, AReadingAfterThePeakBelongsToThePeakOnlyIfTheBlockWasThere) {
  Start();
  recorder_->OpenSession(Task(1));
  Mapping first(kOddLarge), second(kOddLarge);
  std::vector<FrameId> stack = {Line("buffer", 3)};
  Allocate(first.address(), kOddLarge, stack);
  recorder_->Freeing(first.address());  // never touched: 0 of the peak's bytes
  Allocate(second.address(), kOddLarge - 4096, stack);
  second.Fill(0, kOddLarge - 4096);
  recorder_->Freeing(second.address());
  BoxSession session = ReadTask(1);
  EXPECT_EQ(SiteOf(session, "buffer")->live_at_peak_bytes, kOddLarge);
  EXPECT_EQ(SiteOf(session, "buffer")->resident_at_peak_bytes, 0u);
  EXPECT_TRUE(SiteOf(session, "buffer")->has_resident);
}

TEST_F(RecorderTest, WhatIsGivenBackToTheSystemKeepsItsLargestReading) {
  Start();
  recorder_->OpenSession(Task(1));
  Mapping pool(kOddLarge);
  const uint64_t filled = 4096 * 8000;
  Allocate(pool.address(), kOddLarge, {Line("pool", 3)});
  pool.Fill(0, filled);
  usleep(7'000);
  Allocate(kSomewhere, 70'001, {Line("next sample", 4)});
  madvise(reinterpret_cast<void*>(pool.address()), kOddLarge, MADV_DONTNEED);
  recorder_->Freeing(pool.address());
  BoxSession session = ReadTask(1);
  EXPECT_EQ(SiteOf(session, "pool")->resident_at_peak_bytes, filled);

  // And with the block its reading is gone: at a later peak nothing of it is left.
  Mapping larger(kOddLarge + 200'003);
  Allocate(larger.address(), kOddLarge + 200'003, {Line("pool", 3)});
  session = ReadTask(1);
  EXPECT_FALSE(SiteOf(session, "pool")->has_resident);
  larger.Fill(0, 4'000'000);
  recorder_->Freeing(larger.address());
  session = ReadTask(1);
  EXPECT_NEAR(static_cast<double>(SiteOf(session, "pool")->resident_at_peak_bytes), 4'000'000, 4096);
}

TEST_F(RecorderTest, ABlockThatMadeNoPeakIsReadForTheNextOne) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 80'000'023, {Line("peak", 1)});
  recorder_->Freeing(kSomewhere);
  Mapping mapping(kOddLarge);
  mapping.Fill(0, kOddLarge);
  Allocate(mapping.address(), kOddLarge, {Line("below", 2)});
  usleep(7'000);
  Allocate(kSomewhere, 70'001, {Line("next sample", 4)});  // RSS has grown: everything large is read
  EXPECT_FALSE(SiteOf(ReadTask(1), "below")->has_resident) << "nothing of it was live at the peak";
  Allocate(kSomewhere + 0x10000000, 80'000'023, {Line("peak", 1)});
  BoxSession session = ReadTask(1);
  EXPECT_EQ(SiteOf(session, "below")->live_at_peak_bytes, kOddLarge);
  EXPECT_EQ(SiteOf(session, "below")->resident_at_peak_bytes, kOddLarge);
}

// ---- mappings

constexpr uint64_t kPage = 4096;

TEST_F(RecorderTest, AnUnmappedRangeIsCutOutOfItsMapping) {
  Start();
  recorder_->OpenSession(Task(1));
  Mapping mapping(1001 * kPage);
  mapping.Fill(0, 500 * kPage);
  Allocate(mapping.address(), 1001 * kPage, {Line("arena", 3)});
  recorder_->UnmappingRange(mapping.address() + 100 * kPage, mapping.address() + 200 * kPage);
  EXPECT_EQ(ReadTask(1).live_bytes, 901 * kPage);
  // A length is rounded up to pages, as munmap does.
  recorder_->UnmappingRange(mapping.address(), mapping.address() + 9 * kPage + 5);
  EXPECT_EQ(ReadTask(1).live_bytes, 891 * kPage);
  recorder_->UnmappingRange(mapping.address() + 999 * kPage, mapping.address() + 2000 * kPage);
  BoxSession session = ReadTask(1);
  EXPECT_EQ(session.live_bytes, 889 * kPage);
  EXPECT_EQ(SiteOf(session, "arena")->live_at_peak_bytes, 1001 * kPage);
  EXPECT_EQ(SiteOf(session, "arena")->resident_at_peak_bytes, 500 * kPage) << "read before the first cut";
  EXPECT_EQ(SiteOf(session, "arena")->allocations, 1u);

  // At the next peak what is left of it counts with what is resident of that.
  Allocate(kSomewhere, 5'000'011, {Line("other", 4)});
  session = ReadTask(1);
  EXPECT_EQ(SiteOf(session, "arena")->live_at_peak_bytes, 889 * kPage);
  EXPECT_EQ(SiteOf(session, "arena")->resident_at_peak_bytes, 390 * kPage);
  recorder_->UnmappingRange(mapping.address(), mapping.address() + 1001 * kPage);
  EXPECT_EQ(ReadTask(1).live_bytes, 5'000'011u);
}

TEST_F(RecorderTest, OneRangeMayTakeSeveralMappings) {
  Start();
  recorder_->OpenSession(Task(1));
  const uintptr_t base = kSomewhere;
  for (uintptr_t i = 0; i < 10; ++i) Allocate(base + i * 100 * kPage, 50 * kPage, {Line("chunks", 3)});
  recorder_->UnmappingRange(base + 25 * kPage, base + 725 * kPage);  // half of the first, six whole ones, half of the eighth
  BoxSession session = ReadTask(1);
  EXPECT_EQ(session.live_bytes, (25 + 25 + 2 * 50) * kPage);
}

TEST_F(RecorderTest, ASampledMappingIsCutInProportion) {
  Start();
  recorder_->OpenSession(Task(1));
  AllocateSampled(kSomewhere, 8 * kPage, 80'000, 2, {Line("mmap", 3)});
  recorder_->UnmappingRange(kSomewhere + 2 * kPage, kSomewhere + 4 * kPage);
  EXPECT_EQ(ReadTask(1).live_bytes, 60'000u);
}

// ---- bounds

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
TEST_F(RecorderTest, RowsAddUpWhateverOverflows) {
  Start(kInterval, 1u << 20);
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
  EXPECT_GT(counters.interval_doublings, 0u);
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
  recorder_->OpenSession(Task(1));
  for (uint32_t i = 0; i < 20; ++i) {
    for (int twice = 0; twice < 2; ++twice) recorder_->AddUdf(Ref("udf"), Ref("/jobs/job.py"), i, Ref("BATCHED_UDF"));
    recorder_->SetCounter(Ref("counter" + std::to_string(i)), i);
  }
  recorder_->SetCounter(Ref("counter3"), 333);
  BoxSession session = ReadTask(1);
  EXPECT_EQ(session.udfs.size(), 8u);
  EXPECT_EQ(session.counters.size(), 16u);
  EXPECT_EQ(session.counters.at(3).value, 333u);
}

// ---- life

TEST_F(RecorderTest, FinishRemovesABoxNobodyHasToRead) {
  Start();
  const std::string path = recorder_->box_path();
  EXPECT_TRUE(std::filesystem::exists(path));
  recorder_->Finish();
  EXPECT_FALSE(std::filesystem::exists(path));
  // Hooks may still hold the pointer.
  Allocate(kSomewhere, 70'001, {Line("late", 1)});
  recorder_->Freeing(kSomewhere);
  recorder_->UnmappingRange(kSomewhere, kSomewhere + kPage);
  recorder_->OpenSession(Task(1));
  recorder_->CloseSession();
  recorder_->Finish();
}

TEST_F(RecorderTest, FinishLeavesABoxThatWaits) {
  Start();
  recorder_->OpenSession(Task(9));
  Allocate(kSomewhere, 70'001, {Line("a", 1)});
  const std::string path = recorder_->box_path();
  recorder_->Finish();
  Result<BoxReader> reader = BoxReader::Open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader->OwnerAlive());
  ASSERT_EQ(reader->Sessions().size(), 2u);
  EXPECT_TRUE(reader->ReadSession(2)->checksum_ok);
}

TEST_F(RecorderTest, CreateSaysWhyItCannot) {
  RecorderOptions options = {};
  options.box_directory = "/nonexistent/boxes";
  options.application_id = "app";
  options.executor_id = "1";
  options.interval_bytes = kInterval;
  Result<Recorder*> made = Recorder::Create(options);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().code(), ErrorCode::kIo);
  EXPECT_NE(std::string(made.status().message()).find("/nonexistent/boxes"), std::string::npos);
  EXPECT_NE(std::string(made.status().message()).find("No such file or directory"), std::string::npos);
  options.box_bytes = 1000;
  EXPECT_EQ(Recorder::Create(options).status().code(), ErrorCode::kInvalidArgument);
  options.box_bytes = 4u << 20;
  std::string deep(5000, 'd');
  options.box_directory = deep.c_str();
  EXPECT_EQ(Recorder::Create(options).status().code(), ErrorCode::kInvalidArgument);
}

TEST_F(RecorderTest, EverythingTogetherStaysWithinItsBytes) {
  auto address_space = [] {
    uint64_t pages = 0;
    FILE* statm = fopen("/proc/self/statm", "r");
    EXPECT_EQ(fscanf(statm, "%lu", &pages), 1);
    fclose(statm);
    return pages * kPage;
  };
  uint64_t before = address_space();
  Start();
  EXPECT_LE(address_space() - before, (4u << 20) + kPage);
  EXPECT_LE(std::filesystem::file_size(recorder_->box_path()), 4u << 20);
}

}  // namespace
}  // namespace memprof
