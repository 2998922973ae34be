// A process that is killed, or forks, in the middle of recording.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <thread>

#include "core/sites/recorder_fixture.h"

namespace memprof {
namespace {

constexpr uintptr_t kSomewhere = 0x10'0000'0000;

// What a recording process has done so far, step by step, the same for the same seed: the child performs the steps on a
// recorder, the parent on this model alone.
struct Script {
  explicit Script(uint64_t seed) : random(seed) {}

  struct Step {
    bool allocate;
    uint32_t line;
    uintptr_t address;
    uint64_t size;
  };

  Step Next() {
    Step step;
    step.allocate = blocks.empty() || (blocks.size() < 500 && random() % 5 < 3);
    if (step.allocate) {
      step.line = 1 + static_cast<uint32_t>(random() % 40);
      step.address = next_address += 0x100000;
      step.size = 100'000 + random() % 900'000;
      blocks.push_back(step);
      allocated += step.size;
      live += step.size;
      if (live > peak) peak = live;
    } else {
      size_t index = random() % blocks.size();
      step = blocks[index];
      step.allocate = false;
      blocks[index] = blocks.back();
      blocks.pop_back();
      live -= step.size;
    }
    return step;
  }

  std::mt19937_64 random;
  std::vector<Step> blocks;
  uintptr_t next_address = kSomewhere;
  uint64_t allocated = 0, live = 0, peak = 0;
};

class RecorderCrashTest : public RecorderTest {
 protected:
  void Perform(const Script::Step& step) {
    if (step.allocate) {
      Allocate(step.address, step.size, {Line("main", 1), Line("udf", step.line)});
    } else {
      recorder_->Freeing(step.address);
    }
  }
};

TEST_F(RecorderCrashTest, KilledAtAnyMomentTheBoxIsOneUpdateBehindAtMost) {
  struct Shared {
    std::atomic<uint64_t> steps;
  };
  auto* shared = static_cast<Shared*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    shared->steps = 0;
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Start();
      recorder_->OpenSession(Task(round));
      Script script(static_cast<uint64_t>(round));
      for (;;) {
        Perform(script.Next());
        shared->steps.fetch_add(1, std::memory_order_relaxed);
      }
    }
    while (shared->steps < 20 + random() % 200) std::this_thread::yield();
    usleep(static_cast<useconds_t>(random() % 1000));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));

    std::vector<std::string> boxes = ListBoxes(directory_.path(), "application_1700000000000_0042");
    ASSERT_EQ(boxes.size(), 1u);
    Result<BoxReader> reader = BoxReader::Open(boxes[0]);
    ASSERT_TRUE(reader.ok()) << reader.status().message();
    EXPECT_FALSE(reader->OwnerAlive());
    EXPECT_EQ(reader->identity().pid, child);
    Result<BoxSession> session = reader->ReadSession(2);
    ASSERT_TRUE(session.ok()) << session.status().message();
    EXPECT_EQ(session->task_attempt_id, round);
    EXPECT_FALSE(session->closed);
    EXPECT_EQ(session->skipped_records, 0u);

    // Between `steps` and `steps + 1` updates were published.
    const uint64_t steps = shared->steps;
    Script model(static_cast<uint64_t>(round));
    for (uint64_t i = 0; i < steps; ++i) model.Next();
    Script next = model;
    next.Next();
    const bool as_model = session->allocated_bytes == model.allocated && session->live_bytes == model.live;
    const bool as_next = session->allocated_bytes == next.allocated && session->live_bytes == next.live;
    EXPECT_TRUE(as_model || as_next) << "round " << round << " steps " << steps << " allocated " << session->allocated_bytes << " live "
                                     << session->live_bytes;
    EXPECT_EQ(session->live_peak_bytes, as_next && !as_model ? next.peak : model.peak);
    uint64_t live = 0, at_peak = 0;
    for (const BoxSite& site : session->sites) {
      live += site.live_bytes;
      at_peak += site.live_at_peak_bytes;
      EXPECT_EQ(Functions(*session, site), (std::vector<std::string>{"main", "udf"}));
    }
    EXPECT_TRUE(live == model.live || live == next.live);
    EXPECT_EQ(at_peak, session->live_peak_bytes) << "sites and session agree on the peak, whichever update was cut";
    std::filesystem::remove(boxes[0]);
  }
  munmap(shared, 4096);
}

TEST_F(RecorderCrashTest, AForkedChildLeavesTheParentsBoxAlone) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 300'007, {Line("parent", 1)});
  const std::string parents_path = recorder_->box_path();

  int ready[2], go[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(go), 0);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Recorder::AbandonInChild(recorder_);
    Start();
    recorder_->OpenSession(Task(2));
    Allocate(kSomewhere, 111'119, {Line("child", 2)});
    recorder_->CloseSession();
    char byte = std::string(recorder_->box_path()) == parents_path ? 'x' : 'c';
    if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) < 0) _exit(1);
    _exit(HasFailure() ? 1 : 0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'c');

  std::vector<std::string> boxes = ListBoxes(directory_.path(), "application_1700000000000_0042");
  ASSERT_EQ(boxes.size(), 2u);
  const std::string childs_path = boxes[0] == parents_path ? boxes[1] : boxes[0];
  Result<BoxReader> childs = BoxReader::Open(childs_path);
  ASSERT_TRUE(childs.ok());
  EXPECT_EQ(childs->identity().pid, child);
  EXPECT_TRUE(childs->OwnerAlive());
  EXPECT_EQ(childs->ReadSession(2)->allocated_bytes, 111'119u);
  recorder_->Freeing(kSomewhere);
  BoxSession parents = ReadTask(1);
  EXPECT_EQ(parents.allocated_bytes, 300'007u);
  EXPECT_EQ(parents.live_bytes, 0u);

  // The child does not keep the parent's lock, nor the other way round.
  Result<BoxReader> parents_reader = BoxReader::Open(parents_path);
  ASSERT_TRUE(parents_reader.ok());
  EXPECT_TRUE(parents_reader->OwnerAlive());
  recorder_->Finish();
  recorder_ = nullptr;
  EXPECT_FALSE(parents_reader->OwnerAlive());
  EXPECT_TRUE(childs->OwnerAlive());
  ASSERT_EQ(write(go[1], "g", 1), 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(childs->OwnerAlive());
  for (int fd : {ready[0], ready[1], go[0], go[1]}) close(fd);
}

TEST_F(RecorderCrashTest, AProgramStartedByTheOwnerDoesNotKeepItsBoxAlive) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t owner = fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) {
    Start();
    int started[2];  // at its end when the exec has closed what it closes
    if (pipe2(started, O_CLOEXEC) != 0) _exit(1);
    pid_t program = fork();
    if (program == 0) {
      execlp("sleep", "sleep", "30", nullptr);
      _exit(127);
    }
    close(started[1]);
    char nothing = 0;
    if (read(started[0], &nothing, 1) != 0) _exit(1);
    if (write(ready[1], &program, sizeof program) != sizeof program) _exit(1);
    raise(SIGKILL);
  }
  close(ready[1]);
  pid_t program = 0;
  ASSERT_EQ(read(ready[0], &program, sizeof program), static_cast<ssize_t>(sizeof program));
  int status = 0;
  ASSERT_EQ(waitpid(owner, &status, 0), owner);
  std::vector<std::string> boxes = ListBoxes(directory_.path(), "application_1700000000000_0042");
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_FALSE(BoxReader::Open(boxes[0])->OwnerAlive());
  EXPECT_EQ(kill(program, SIGKILL), 0);
  close(ready[0]);
}

}  // namespace
}  // namespace memprof
