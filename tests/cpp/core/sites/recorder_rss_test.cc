#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>

#include "base/clock.h"
#include "blackbox/layout.h"
#include "core/sites/recorder_fixture.h"

namespace memprof {
namespace {

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));
const char kCounter[] = "/v/site-packages/counter/libcounter.so";
const char kArrow[] = "/v/site-packages/pyarrow/libarrow.so.1700";

// Memory of which so many bytes are in pages.
class Touched {
 public:
  Touched(size_t size, size_t touched) : size_(size) {
    memory_ = static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    memset(memory_, 1, touched);
  }
  ~Touched() { munmap(memory_, size_); }
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(memory_); }
  uintptr_t end() const { return begin() + size_; }

 private:
  char* memory_;
  size_t size_;
};

class RecorderRowsTest : public RecorderTest {
 protected:
  std::map<std::string, uint64_t> Rows() {
    const Result<RssRows> read = OpenBox().ReadRssRows();
    std::map<std::string, uint64_t> rows;
    if (!read.ok()) return rows;
    for (const RssRows::Row& row : read->rows) rows[row.name] = row.bytes;
    return rows;
  }
  FrameId Native(const char* path, uint64_t offset) {
    return recorder_->InternNativeFrame(recorder_->InternModule(Ref(path), Ref("ab12")), offset);
  }

  std::unique_ptr<RegionTable> regions_ = std::make_unique<RegionTable>();
};

TEST_F(RecorderRowsTest, EachPartIsMeasuredByItself) {
  const size_t arena_bytes = 1301 * kPage, pool_bytes = 777 * kPage, block_bytes = 4003 * kPage;
  const Touched arena(5000 * kPage, arena_bytes), pool(90'000 * kPage, pool_bytes), block(8006 * kPage, block_bytes);
  const Touched objects(3000 * kPage, 3000 * kPage), unseen(4000 * kPage, 4000 * kPage);
  regions_->Add(arena.begin(), arena.end(), RegionKind::kArena);
  regions_->Add(pool.begin(), pool.end(), RegionKind::kPool, kArrow, sizeof kArrow - 1);
  Start(kInterval, 4u << 20, regions_.get());
  recorder_->OpenSession(Task(1));
  Allocate(block.begin(), 8006 * kPage, {Line("udf", 7), Native(kCounter, 16), Native("/lib/libc.so.6", 32)});
  Allocate(objects.begin(), 3000 * kPage, {Line("udf", 8)});
  AllocateSampled(0x10010, 1000, 65'536, 65, {Line("udf", 9), Native(kCounter, 48)});
  AllocateSampled(0x20010, 100, 65'536, 655, {Line("udf", 9)});                         // in an arena
  AllocateSampled(arena.begin() + 64, 100, 3'000'000, 30'000, {Native(kCounter, 64)});  // likewise, made by a library's thread
  ASSERT_TRUE(recorder_->RssWanted());
  recorder_->MeasureRssAtEnd(12'345);

  const std::map<std::string, uint64_t> rows = Rows();
  EXPECT_EQ(rows.at("pool: pyarrow/libarrow.so.1700"), pool_bytes);
  EXPECT_EQ(rows.at("Python objects"), arena_bytes + 3000 * kPage);
  EXPECT_EQ(rows.at("allocator retention"), 12'345u);
  // 65.536 blocks of 1000 bytes, for each of which malloc takes 1008.
  EXPECT_EQ(rows.at("native: counter/libcounter.so"), block_bytes + 65'536 * 1008 / 1000);
  for (const char* name : {"mapped files", "data of libraries", "thread stacks", "profiler"}) EXPECT_GT(rows.at(name), 0u) << name;
  recorder_->MeasureRssAtEnd(uint64_t{1} << 40);
  const Result<RssRows> full = OpenBox().ReadRssRows();
  ASSERT_TRUE(full.ok());
  uint64_t sum = 0;
  for (const RssRows::Row& row : full->rows) sum += row.bytes;
  EXPECT_EQ(sum, full->rss_bytes) << "no more than there is room for: the rest is what malloc has given back to the kernel";
  EXPECT_FALSE(recorder_->RssWanted()) << "nothing has changed since";
  recorder_->CloseSession();
}

// libc unmaps without a hook's hearing of it, where what it gives back had a mapping of its own.
TEST_F(RecorderRowsTest, WhatIsUnmappedOfARegionTakesNothingElseAway) {
  const Touched before(1901 * kPage, 1707 * kPage), arena(1501 * kPage, 1501 * kPage);
  regions_->Add(before.begin(), before.end(), RegionKind::kBefore);
  regions_->Add(arena.begin(), arena.end(), RegionKind::kArena);
  Start(kInterval, 4u << 20, regions_.get());
  recorder_->OpenSession(Task(1));
  const uintptr_t hole = before.begin() + 1003 * kPage;
  munmap(reinterpret_cast<void*>(hole), 51 * kPage);
  munmap(reinterpret_cast<void*>(arena.begin() + 7 * kPage), 3 * kPage);
  recorder_->MeasureRssAtEnd(1);
  EXPECT_EQ(Rows().at("interpreter"), (1707 - 51) * kPage);
  EXPECT_EQ(Rows().at("Python objects"), (1501 - 3) * kPage);

  // What somebody maps there later wasn't there before.
  void* later = mmap(reinterpret_cast<void*>(hole), 51 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  memset(later, 1, 51 * kPage);
  recorder_->MeasureRssAtEnd(1);
  EXPECT_EQ(Rows().at("interpreter"), (1707 - 51) * kPage);
  recorder_->CloseSession();
}

// A file that lies where a region was has its own row.
TEST_F(RecorderRowsTest, AFileIsInNoRegion) {
  const Touched before(701 * kPage, 701 * kPage);
  regions_->Add(before.begin(), before.end(), RegionKind::kBefore);
  Start(kInterval, 4u << 20, regions_.get());
  recorder_->OpenSession(Task(1));
  FILE* file = tmpfile();
  const std::string bytes(100 * kPage, 'x');
  ASSERT_EQ(fwrite(bytes.data(), bytes.size(), 1, file), 1u);
  fflush(file);
  const int flags = MAP_PRIVATE | MAP_FIXED | MAP_POPULATE;
  ASSERT_NE(mmap(reinterpret_cast<void*>(before.begin()), bytes.size(), PROT_READ, flags, fileno(file), 0), MAP_FAILED);
  recorder_->MeasureRssAtEnd(1);
  fclose(file);
  EXPECT_EQ(Rows().at("interpreter"), 601 * kPage);
  recorder_->CloseSession();
}

TEST_F(RecorderRowsTest, TheMomentIsThatOfTheLargestResidentSet) {
  Start(kInterval, 4u << 20, regions_.get());
  recorder_->OpenSession(Task(1));
  const FrameId line = Line("udf", 7), native = Native(kCounter, 16);
  {
    const Touched block(40'001 * kPage, 40'001 * kPage);
    Allocate(block.begin(), 40'001 * kPage, {line, native});
    usleep(6000);  // RSS is looked at every 5 ms
    recorder_->Freeing(block.begin());
  }
  EXPECT_EQ(Rows().at("native: counter/libcounter.so"), 40'001 * kPage) << "measured before it went";
  const uint64_t rss = OpenBox().ReadRssRows()->rss_bytes;
  EXPECT_FALSE(recorder_->RssWanted()) << "far below the peak";
  usleep(6000);
  const Touched smaller(2003 * kPage, 2003 * kPage);
  Allocate(smaller.begin(), 2003 * kPage, {line, native});
  EXPECT_EQ(OpenBox().ReadRssRows()->rss_bytes, rss);
  recorder_->CloseSession();
}

TEST_F(RecorderRowsTest, APeakIsMeasuredWhereTheTimeIsSpent) {
#if defined(__SANITIZE_THREAD__)
  constexpr uint64_t kResident = 5;  // four bytes of shadow for each byte that is touched
#else
  constexpr uint64_t kResident = 1;
#endif
  Start(kInterval, 4u << 20, regions_.get());
  recorder_->OpenSession(Task(1));
  const int64_t begin = ThreadCpuNs();
  while (ThreadCpuNs() - begin < 200'000'000) recorder_->MeasureRssAtEnd(1);
  const uint64_t rss = OpenBox().ReadRssRows()->rss_bytes;
  const auto held_and_freed = [&](uint64_t bytes) {
    const Touched block(bytes, bytes);
    Allocate(block.begin(), bytes, {Line("udf", 7), Native(kCounter, 16)});
    recorder_->Freeing(block.begin());
  };
  held_and_freed(rss / 40 / kResident);
  EXPECT_LT(OpenBox().ReadRssRows()->rss_bytes, rss + rss / 50) << "not worth it";
  held_and_freed(rss / 4);
  EXPECT_GE(OpenBox().ReadRssRows()->rss_bytes, rss + rss / 5);
  recorder_->CloseSession();
}

// Its pages are still there when it has left the live set.
TEST_F(RecorderRowsTest, ALargeBlockThatIsBeingFreedIsInTheRows) {
  const Touched block(3001 * kPage, 3001 * kPage);
  Start(kInterval, 4u << 20, regions_.get());
  recorder_->OpenSession(Task(1));
  Allocate(block.begin(), 3001 * kPage, {Line("udf", 7), Native(kCounter, 16)});
  recorder_->MeasureRssAtEnd(1);
  AllocateSampled(0x20010, 1000, 65'536, 65, {Line("udf", 9)});
  usleep(10'000);
  recorder_->Freeing(0x20010);                       // and the resident set is read, so that nothing speaks for a new maximum
  const Touched others(2003 * kPage, 2003 * kPage);  // nobody tells of these
  usleep(10'000);
  recorder_->Freeing(block.begin());
  EXPECT_EQ(Rows().at("native: counter/libcounter.so"), 3001 * kPage);
  const Touched more(4003 * kPage, 4003 * kPage);
  usleep(10'000);
  AllocateSampled(0x10010, 1000, 65'536, 65, {Line("udf", 9)});
  EXPECT_EQ(Rows().count("native: counter/libcounter.so"), 0u) << "rows are measured anew where the resident set has grown";
  recorder_->CloseSession();
}

// A pool's pages come and go without an allocation that is known here, and faster than anything else happens.
TEST_F(RecorderRowsTest, APoolIsMeasuredBeforeItGivesItsPagesBack) {
  Touched pool(90'000 * kPage, 101 * kPage);
  regions_->Add(pool.begin(), pool.end(), RegionKind::kPool, kArrow, sizeof kArrow - 1);
  Start(kInterval, 4u << 20, regions_.get());
  recorder_->OpenSession(Task(1));
  recorder_->MeasureRssAtEnd(1);
  const auto hold = [&pool](size_t pages) { memset(reinterpret_cast<void*>(pool.begin()), 1, pages * kPage); };
  const auto pages = [this] { return Rows().at("pool: pyarrow/libarrow.so.1700") / kPage; };
  hold(20'011);
  recorder_->DroppingPages(kLargeBlock - 1);
  EXPECT_EQ(pages(), 101u) << "what is small makes no peak";
  recorder_->DroppingPages(kLargeBlock);
  EXPECT_EQ(pages(), 20'011u);
  hold(60'013);
  recorder_->UnmappingRange(pool.begin(), pool.begin() + kLargeBlock);
  EXPECT_EQ(pages(), 60'013u);
  recorder_->CloseSession();
  EXPECT_GE(ReadTask(1).rss_max_bytes, 60'013 * kPage);
}

TEST_F(RecorderRowsTest, NoneWithoutRegions) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(0x10000, 1 << 20, {Line("udf", 7)});
  EXPECT_FALSE(recorder_->RssWanted());
  EXPECT_EQ(OpenBox().ReadRssRows().status().code(), ErrorCode::kNotFound);
}

TEST_F(RecorderRowsTest, ADamagedRowSpoilsTheMoment) {
  Start(kInterval, 4u << 20, regions_.get());
  recorder_->OpenSession(Task(1));
  recorder_->MeasureRssAtEnd(1);
  ASSERT_TRUE(OpenBox().ReadRssRows().ok());
  const std::string path = recorder_->box_path();
  FILE* file = fopen(path.c_str(), "r+");
  box::Header header;
  ASSERT_EQ(fread(&header, sizeof header, 1, file), 1u);
  // The first moment has number 1: its rows are in the second half.
  const box::Table& table = header.tables[box::kRssRowTable];
  fseek(file, static_cast<long>(table.offset + box::kRssRowsPerMoment * sizeof(box::RssRow) + offsetof(box::RssRow, bytes)), SEEK_SET);
  fputc(0x5a, file);
  fclose(file);
  EXPECT_EQ(OpenBox().ReadRssRows().status().code(), ErrorCode::kNotFound);
  recorder_->MeasureRssAtEnd(1);
  EXPECT_TRUE(OpenBox().ReadRssRows().ok()) << "the next one is whole";
}

}  // namespace
}  // namespace memprof
