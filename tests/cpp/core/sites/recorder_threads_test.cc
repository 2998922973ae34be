// Many threads record while sessions come and go and a reader looks on. Meant for the tsan preset as well.
#include <atomic>
#include <random>
#include <thread>

#include "core/sites/recorder_fixture.h"

namespace memprof {
namespace {

class RecorderThreadsTest : public RecorderTest {};

TEST_F(RecorderThreadsTest, TotalsAddUpWhateverRunsAtTheSameTime) {
  Start();
  constexpr int kThreads = 4, kTasks = 30, kSteps = 6000;
  std::atomic<bool> recording{true};
  std::atomic<uint64_t> allocated{0};
  std::vector<std::thread> threads;
  for (uintptr_t thread = 1; thread <= kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937_64 random(thread);
      std::vector<uintptr_t> mine;
      uintptr_t next = thread << 40;
      for (int step = 0; step < kSteps; ++step) {
        const uint64_t dice = random() % 8;
        if (mine.size() < 50 || dice < 3) {
          uint64_t size = 1000 + random() % 2'000'000;
          mine.push_back(next += 0x400000);
          Allocate(next, size, {Line("thread", static_cast<uint32_t>(thread)), Line("work", static_cast<uint32_t>(random() % 20))});
          allocated += size;
          continue;
        }
        size_t index = random() % mine.size();
        uintptr_t address = mine[index];
        EXPECT_TRUE(recorder_->MayBeLive(address));
        if (dice == 3) {
          uint64_t size = 1000 + random() % 2'000'000;
          Recorder::Detached old = recorder_->Detach(address, size);
          recorder_->Resized(old, {Origin::kPython, address, size, size, 1, kNoStack});
          allocated += size;
        } else if (dice == 4) {
          recorder_->UnmappingRange(address, address + 0x2000);
          recorder_->Freeing(address);
          mine[index] = mine.back();
          mine.pop_back();
        } else {
          recorder_->Freeing(address);
          mine[index] = mine.back();
          mine.pop_back();
        }
      }
    });
  }
  std::atomic<uint64_t> read_bytes{0};
  std::atomic<int> closed_sessions{0};
  std::thread reader([&] {
    auto look = [&] {
      BoxReader box = OpenBox();
      for (const BoxReader::SessionKey& key : box.Sessions()) {
        Result<BoxSession> session = box.ReadSession(key.number);
        if (!session.ok()) {
          ADD_FAILURE() << "only we acknowledge: " << session.status().message();
          continue;
        }
        if (!key.closed || key.task_attempt_id < 0) continue;
        EXPECT_TRUE(session->checksum_ok) << key.number;
        EXPECT_EQ(session->skipped_records, 0u);
        uint64_t of_sites = 0, live = 0, at_peak = 0;
        for (const BoxSite& site : session->sites) {
          of_sites += site.allocated_bytes;
          live += site.live_bytes;
          at_peak += site.live_at_peak_bytes;
        }
        EXPECT_EQ(of_sites, session->allocated_bytes);
        EXPECT_EQ(live, session->live_bytes);
        EXPECT_EQ(at_peak, session->live_peak_bytes);
        read_bytes += session->allocated_bytes;
        ++closed_sessions;
        EXPECT_TRUE(box.Acknowledge(key.number).ok());
        // It may be read again until the owner has looked; it must not be counted again.
        while (recording && OpenBox().ReadSession(key.number).ok()) std::this_thread::yield();
      }
    };
    while (recording) look();
  });
  for (int64_t task = 0; task < kTasks; ++task) {
    recorder_->OpenSession(Task(task));
    recorder_->SetCounter(Ref("task"), static_cast<uint64_t>(task));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (std::thread& thread : threads) thread.join();
  recorder_->CloseSession();
  recording = false;
  reader.join();

  // What was not acknowledged yet, and what fell outside of tasks.
  BoxReader box = OpenBox();
  recorder_->OpenSession(Task(1000));  // recycles what was acknowledged
  for (const BoxReader::SessionKey& key : box.Sessions()) read_bytes += box.ReadSession(key.number)->allocated_bytes;
  EXPECT_EQ(recorder_->counters().dropped_sessions, 0u);
  EXPECT_EQ(read_bytes, allocated);
}

}  // namespace
}  // namespace memprof
