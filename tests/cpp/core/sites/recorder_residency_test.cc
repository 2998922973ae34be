#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "base/clock.h"
#include "core/sites/recorder_fixture.h"
#include "sites/recorder.h"
#include "sites/young_blocks.h"

namespace memprof {
namespace {

constexpr uint64_t kOddLarge = 33'333'319;

constexpr uint64_t InWholeKib(uint64_t bytes) { return bytes >> 10 << 10; }

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
  EXPECT_EQ(SiteOf(session, "full")->read_at_peak_bytes, 0u) << "unread is not 0";
  half.Fill(0, kOddLarge / 2);
  full.Fill(0, kOddLarge);
  for (const Mapping* mapping : {&untouched, &half, &full}) recorder_->Freeing(mapping->address());

  session = ReadTask(1);
  EXPECT_EQ(session.live_bytes, 0u);
  for (const BoxSite& site : session.sites) {
    EXPECT_EQ(site.live_at_peak_bytes, kOddLarge);
    EXPECT_EQ(site.read_at_peak_bytes, InWholeKib(site.live_at_peak_bytes));
  }
  EXPECT_LT(SiteOf(session, "untouched")->resident_at_peak_bytes, kOddLarge / 100);
  EXPECT_NEAR(static_cast<double>(SiteOf(session, "half")->resident_at_peak_bytes) / kOddLarge, 0.5, 0.01);
  EXPECT_EQ(SiteOf(session, "full")->resident_at_peak_bytes, kOddLarge);
}

TEST_F(RecorderTest, WhatWasReadIsKnownBesideWhatIsLive) {
  constexpr uint64_t kSmall = 65'537;
  Start();
  recorder_->OpenSession(Task(1));
  Mapping large(kOddLarge), small(kSmall);
  const FrameId line = Line("line", 1);
  Allocate(large.address(), kOddLarge, {line});
  Allocate(small.address(), kSmall, {line});
  large.Fill(0, kOddLarge);
  recorder_->CloseSession();
  const BoxSession session = ReadTask(1);
  const BoxSite* site = SiteOf(session, "line");
  EXPECT_EQ(site->live_at_peak_bytes, kOddLarge + kSmall);
  EXPECT_EQ(site->read_at_peak_bytes, InWholeKib(kOddLarge));
  EXPECT_EQ(site->resident_at_peak_bytes, kOddLarge);
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
  EXPECT_EQ(SiteOf(session, "next sample")->read_at_peak_bytes, 0u);
  EXPECT_GT(session.rss_max_bytes, session.rss_at_open_bytes + kOddLarge / 2);
}

// A block that is about to be filled, and a sample before that. The rule looks at the time, so a machine that pauses here needs
// another try.
TEST_F(RecorderTest, ANewBlockWithoutPagesIsUnreadAtFirst) {
  constexpr int kTries = 50;
  Start();
  recorder_->OpenSession(Task(1));
  Mapping base(4 * kOddLarge);
  Allocate(base.address(), 4 * kOddLarge, {Line("base", 1)});
  for (int i = 0; i < kTries; ++i) {
    Mapping next(kOddLarge);
    const int64_t born_ns = MonotonicNs();
    const std::string name = "next" + std::to_string(i);
    Allocate(next.address(), kOddLarge, {Line(name, 2)});
    base.Fill(0, static_cast<uint64_t>(i + 1) * 4 * kOddLarge / kTries);  // the resident set grows: it's time for a sweep
    usleep(7'000);
    Allocate(kSomewhere, 70'001, {Line("sample", 3)});
    const uint64_t read = SiteOf(ReadTask(1), name)->read_at_peak_bytes;
    if (MonotonicNs() - born_ns < YoungBlocks::kYoungNs) {
      EXPECT_EQ(read, 0u);
      usleep(YoungBlocks::kYoungNs / 1000);
      Allocate(kSomewhere + 100'000, 70'001, {Line("sample", 3)});
      EXPECT_EQ(SiteOf(ReadTask(1), name)->read_at_peak_bytes, InWholeKib(kOddLarge)) << "it is older now, and still untouched";
      return;
    }
    recorder_->Freeing(next.address());
    recorder_->Freeing(kSomewhere);
  }
  FAIL() << "never in time";
}

// The loop `block = np.empty(n)`: the new block comes before the one of the round before goes, and the peak passes at that moment.
TEST_F(RecorderTest, ANewBlockIsUnreadThoughAPeakPasses) {
  constexpr int kTries = 50;
  Start();
  recorder_->OpenSession(Task(1));
  Mapping before(kOddLarge);
  for (int i = 0; i < kTries; ++i) {
    const std::string name = "next" + std::to_string(i);
    Allocate(before.address(), kOddLarge, {Line("before", 1)});
    Mapping next(kOddLarge);
    const int64_t born_ns = MonotonicNs();
    Allocate(next.address(), kOddLarge, {Line(name, 2)});
    recorder_->Freeing(before.address());
    const uint64_t read = SiteOf(ReadTask(1), name)->read_at_peak_bytes;
    const bool in_time = MonotonicNs() - born_ns < YoungBlocks::kYoungNs;
    if (in_time) {
      EXPECT_EQ(read, 0u);
      return;
    }
    recorder_->Freeing(next.address());
  }
  FAIL() << "never in time";
}

TEST_F(RecorderTest, ANewBlockThatIsFilledAlreadyIsRead) {
  Start();
  recorder_->OpenSession(Task(1));
  Mapping next(kOddLarge), base(8 * kOddLarge);
  Allocate(next.address(), kOddLarge, {Line("next", 2)});
  Allocate(base.address(), 8 * kOddLarge, {Line("base", 1)});
  next.Fill(0, kOddLarge / 4);
  base.Fill(0, 8 * kOddLarge);  // the resident set grows: it's time for a sweep
  usleep(7'000);
  Allocate(kSomewhere, 70'001, {Line("sample", 3)});
  EXPECT_NEAR(static_cast<double>(SiteOf(ReadTask(1), "next")->resident_at_peak_bytes) / kOddLarge, 0.25, 0.01);
}

// The peak passes with a block that is not large, while the resident set hardly grows: nothing else has the pages looked up then.
TEST_F(RecorderTest, WhatIsFilledWhenThePeakHasPassedIsMarked) {
  constexpr uint64_t kFilled = 512 * kPage;
  Start();
  recorder_->OpenSession(Task(1));
  Mapping base(4 * kOddLarge), part(kOddLarge), untouched(kOddLarge);
  Allocate(base.address(), 4 * kOddLarge, {Line("base", 1)});
  base.Fill(0, 4 * kOddLarge);
  usleep(7'000);
  Allocate(part.address(), kOddLarge, {Line("part", 2)});  // the resident set is read, and all large blocks
  Allocate(untouched.address(), kOddLarge, {Line("untouched", 3)});
  AllocateSampled(kSomewhere, 1000, 4 * kOddLarge, 9, {Line("gone", 4)});
  part.Fill(0, kFilled);
  recorder_->Freeing(kSomewhere);
  part.Fill(kFilled, kOddLarge);
  untouched.Fill(0, kOddLarge);
  recorder_->CloseSession();
  const BoxSession session = ReadTask(1);
  for (const char* line : {"part", "untouched"}) EXPECT_EQ(SiteOf(session, line)->resident_at_peak_bytes, kOddLarge) << line;
  EXPECT_EQ(SiteOf(session, "base")->resident_later_bytes, 0u);
  EXPECT_EQ(SiteOf(session, "part")->resident_later_bytes, InWholeKib(kOddLarge - kFilled));
  EXPECT_EQ(SiteOf(session, "untouched")->resident_later_bytes, InWholeKib(kOddLarge));
}

TEST_F(RecorderTest, WhatWasFilledLaterWasThereAtTheNextPeak) {
  Start();
  recorder_->OpenSession(Task(1));
  Mapping late(kOddLarge), larger(3 * kOddLarge);
  Allocate(late.address(), kOddLarge, {Line("late", 1)});
  AllocateSampled(kSomewhere, 1000, kOddLarge, 9, {Line("gone", 2)});
  recorder_->Freeing(kSomewhere);
  late.Fill(0, kOddLarge);
  usleep(7'000);
  Allocate(kSomewhere, 70'001, {Line("next sample", 3)});
  EXPECT_EQ(SiteOf(ReadTask(1), "late")->resident_later_bytes, InWholeKib(kOddLarge));
  Allocate(larger.address(), 3 * kOddLarge, {Line("larger", 4)});
  const BoxSession session = ReadTask(1);
  EXPECT_EQ(SiteOf(session, "late")->resident_at_peak_bytes, kOddLarge);
  EXPECT_EQ(SiteOf(session, "late")->resident_later_bytes, 0u);
}

// A small peak that passes again and again must not use up the time for the task's real one.
TEST_F(RecorderTest, WhatWasNotHeldAtThePeakIsNotLookedUpWhenItPasses) {
  Start();
  Mapping of_process(kOddLarge);
  Allocate(of_process.address(), kOddLarge, {Line("of process", 1)});
  recorder_->OpenSession(Task(1));
  AllocateSampled(kSomewhere, 1000, kOddLarge, 9, {Line("gone", 2)});
  recorder_->Freeing(kSomewhere);
  EXPECT_EQ(SiteOf(ReadTask(-1), "of process")->read_at_peak_bytes, 0u);
}

// A buffer that grows by small steps uses up the time for looks at what moves. It has no other part in looks.
TEST_F(RecorderTest, WhatShrinksAndWhatAPeakHeldIsLookedUpWithoutTimeForMoves) {
  constexpr uint64_t kGrowing = 256 << 20;
  Start();
  recorder_->OpenSession(Task(1));
  Mapping growing(kGrowing), shrinking(kOddLarge), held(kOddLarge);
  Recorder::Detached moved;
  do {
    Allocate(growing.address(), kGrowing, {Line("grows", 1)});
    moved = recorder_->Detach(growing.address(), kGrowing + 1);
    recorder_->Release(moved);
  } while (moved.block.resident != LiveBlock::kUnread);

  Allocate(shrinking.address(), kOddLarge, {Line("shrinks", 2)});
  AllocateSampled(kSomewhere, 1000, 2 * kGrowing, 9, {Line("peak", 3)});
  shrinking.Fill(0, kOddLarge);
  moved = recorder_->Detach(shrinking.address(), kOddLarge - 1);
  EXPECT_EQ(moved.block.resident, kOddLarge);
  recorder_->Reattach(moved);

  Allocate(held.address(), kOddLarge, {Line("held", 4)});
  AllocateSampled(kSomewhere + kPage, 1000, 2 * kGrowing, 9, {Line("gone", 5)});
  held.Fill(0, kOddLarge);
  recorder_->Freeing(kSomewhere + kPage);
  EXPECT_EQ(SiteOf(ReadTask(1), "held")->resident_at_peak_bytes, kOddLarge);
}

TEST_F(RecorderTest, ItIsKnownWhenPagesWereLookedUp) {
  Start();
  recorder_->OpenSession(Task(1));
  EXPECT_EQ(ReadTask(1).looked_ms, 0);
  constexpr size_t kLarge = 8 * kOddLarge;  // the process has to grow by a twentieth
  Mapping half(kLarge);
  Allocate(half.address(), kLarge, {Line("half", 1)});
  half.Fill(0, kLarge / 2);
  const int64_t before = EpochMs();
  usleep(7'000);
  Allocate(kSomewhere, 70'001, {Line("next sample", 2)});
  const int64_t after = EpochMs();
  const int64_t looked = ReadTask(1).looked_ms;
  EXPECT_GE(looked, before);
  EXPECT_LE(looked, after);
  usleep(7'000);
  Allocate(kSomewhere + kPage, 70'001, {Line("next sample", 2)});
  EXPECT_EQ(ReadTask(1).looked_ms, looked) << "nothing had grown";
  recorder_->CloseSession();
  EXPECT_GT(ReadTask(1).looked_ms, after);
  EXPECT_EQ(ReadTask(-1).looked_ms, ReadTask(1).looked_ms);
}

// A kill may come while it is filled: 0 would say that nobody touched it.
TEST_F(RecorderTest, ABlockThatIsNewWhenRssHasGrownIsUnread) {
  Start();
  recorder_->OpenSession(Task(1));
  Mapping full(kOddLarge), fresh(kOddLarge);
  Allocate(full.address(), kOddLarge, {Line("full", 3)});
  full.Fill(0, kOddLarge);
  usleep(7'000);
  Allocate(fresh.address(), kOddLarge, {Line("fresh", 4)});
  BoxSession session = ReadTask(1);
  EXPECT_EQ(SiteOf(session, "full")->resident_at_peak_bytes, kOddLarge);
  EXPECT_EQ(SiteOf(session, "fresh")->read_at_peak_bytes, 0u);
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
  EXPECT_EQ(SiteOf(session, "buffer")->read_at_peak_bytes, InWholeKib(kOddLarge));
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
  EXPECT_EQ(SiteOf(session, "pool")->read_at_peak_bytes, 0u);
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
  EXPECT_EQ(SiteOf(ReadTask(1), "below")->read_at_peak_bytes, 0u) << "nothing of it was live at the peak";
  Allocate(kSomewhere + 0x10000000, 80'000'023, {Line("peak", 1)});
  BoxSession session = ReadTask(1);
  EXPECT_EQ(SiteOf(session, "below")->live_at_peak_bytes, kOddLarge);
  EXPECT_EQ(SiteOf(session, "below")->resident_at_peak_bytes, kOddLarge);
}

// ---- mappings

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

TEST_F(RecorderTest, APartThatMovesLeavesTheRestWithItsSite) {
  Start();
  recorder_->OpenSession(Task(1));
  Mapping mapping(1001 * kPage), target(700 * kPage);
  mapping.Fill(0, 500 * kPage);
  Allocate(mapping.address(), 1001 * kPage - 9, {Line("mmap", 3)});
  const Recorder::Detached part = recorder_->DetachRange(mapping.address() + 400 * kPage, mapping.address() + 600 * kPage);
  EXPECT_EQ(part.block.size, 200 * kPage);
  EXPECT_EQ(part.block.resident, 100 * kPage);
  EXPECT_EQ(ReadTask(1).live_bytes, 1001 * kPage - 9) << "until it has moved";
  recorder_->Reattach(part);  // it could not
  EXPECT_EQ(ReadTask(1).live_bytes, 1001 * kPage - 9);

  const Recorder::Detached again = recorder_->DetachRange(mapping.address() + 400 * kPage, mapping.address() + 600 * kPage);
  EXPECT_EQ(again.block.size, 200 * kPage);
  recorder_->Resized(again, {Origin::kPython, target.address(), 700 * kPage, 700 * kPage, 1, Stack({Line("mremap", 4)})});
  const Recorder::Detached last = recorder_->DetachRange(mapping.address() + 600 * kPage, mapping.address() + 1001 * kPage);
  EXPECT_EQ(last.block.size, 401 * kPage - 9) << "the end of a page that it doesn't fill";
  recorder_->Release(last);
  const BoxSession session = ReadTask(1);
  EXPECT_EQ(session.live_bytes, (400 + 700) * kPage);
  EXPECT_EQ(SiteOf(session, "mmap")->live_bytes, 400 * kPage);
  EXPECT_EQ(SiteOf(session, "mmap")->allocations, 1u);
  EXPECT_EQ(SiteOf(session, "mremap")->live_bytes, 700 * kPage);
}

TEST_F(RecorderTest, ARangeOfSeveralMappingsThatMovesIsNewAltogether) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 50 * kPage, {Line("first", 3)});
  Allocate(kSomewhere + 50 * kPage, 50 * kPage, {Line("second", 4)});
  const Recorder::Detached none = recorder_->DetachRange(kSomewhere + 100 * kPage, kSomewhere + 200 * kPage);
  EXPECT_EQ(none.block.address, 0u) << "nothing there is followed";
  const Recorder::Detached range = recorder_->DetachRange(kSomewhere + 10 * kPage, kSomewhere + 80 * kPage);
  EXPECT_NE(range.block.address, 0u);
  recorder_->Resized(range, {Origin::kPython, kSomewhere + 500 * kPage, 90 * kPage, 90 * kPage, 1, Stack({Line("moved", 5)})});
  const BoxSession session = ReadTask(1);
  EXPECT_EQ(SiteOf(session, "first")->live_bytes, 10 * kPage);
  EXPECT_EQ(SiteOf(session, "second")->live_bytes, 20 * kPage);
  EXPECT_EQ(SiteOf(session, "moved")->live_bytes, 90 * kPage);
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

}  // namespace
}  // namespace memprof
