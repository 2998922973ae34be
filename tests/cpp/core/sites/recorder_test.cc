#include "sites/recorder.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "base/clock.h"
#include "core/sites/recorder_fixture.h"

namespace memprof {
namespace {

TEST_F(RecorderTest, WhatAThreadOfNoTaskAllocatesIsTheProcesses) {
  Start();
  recorder_->OpenSession(Task(17));
  const BoxStackId stack = Stack({Line("lingers", 7)});
  recorder_->Allocated({Origin::kPython, kSomewhere, 900'017, 900'017, 1, stack, true});
  recorder_->Allocated({Origin::kPython, kSomewhere + 0x1000000, 900'029, 900'029, 1, stack, true});
  recorder_->Freeing(kSomewhere + 0x1000000);
  Allocate(kSomewhere + 0x2000000, 999'983, {Line("main", 10)});
  recorder_->CloseSession();
  const BoxSession task = ReadTask(17);
  EXPECT_EQ(task.allocated_bytes, 999'983u);
  EXPECT_EQ(task.live_peak_bytes, 999'983u);
  EXPECT_EQ(SiteOf(task, "lingers"), nullptr);
  const BoxSession process = ReadTask(-1);
  const BoxSite* left = SiteOf(process, "lingers");
  ASSERT_NE(left, nullptr);
  EXPECT_EQ(left->live_bytes, 900'017u);
}

TEST_F(RecorderTest, ASessionReadsBackWhatWasRecorded) {
  Start();
  recorder_->OpenSession(Task(17));
  recorder_->AddUdf(Ref("aggregate"), Ref("/jobs/job.py"), 41, Ref("MAP_PANDAS_ITER"), true);
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
  EXPECT_TRUE(session.udfs[0].is_generator);
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
  EXPECT_EQ(native->read_at_peak_bytes, 0u);

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
  Recorder::Detached old = recorder_->Detach(kSomewhere, 400'009);
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
  recorder_->Reattach(recorder_->Detach(kSomewhere, 400'009));
  EXPECT_EQ(ReadTask(1).live_bytes, 300'007u);
  recorder_->Release(recorder_->Detach(kSomewhere, 400'009));
  EXPECT_EQ(ReadTask(1).live_bytes, 0u);
  recorder_->Freeing(kSomewhere);
  recorder_->Release(recorder_->Detach(kSomewhere, 400'009));
  recorder_->Reattach(recorder_->Detach(kSomewhere, 400'009));
  EXPECT_EQ(ReadTask(1).live_bytes, 0u);
}

TEST_F(RecorderTest, ASessionThatClosesDuringAReallocKeepsItsFigures) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 300'007, {Line("mine", 4)});
  Recorder::Detached old = recorder_->Detach(kSomewhere, 400'009);
  recorder_->OpenSession(Task(2));
  recorder_->Resized(old, {Origin::kPython, kSomewhere, 400'009, 400'009, 1, kNoStack});
  BoxSession first = ReadTask(1);
  EXPECT_TRUE(first.checksum_ok);
  EXPECT_EQ(first.live_bytes, 300'007u);
  EXPECT_EQ(ReadTask(2).live_bytes, 400'009u);
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
