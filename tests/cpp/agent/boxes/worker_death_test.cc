#include "boxes/worker_death.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "base/clock.h"
#include "sites/recorder.h"
#include "temporary_directory.h"

namespace memprof {
namespace {

constexpr uint64_t kBytes = 123'456'789;

TEST(WorkerDeath, IsWhatItsBoxSaysOfTheTaskThatWasOpen) {
  for (const bool started_by_task : {false, true}) {
    const TemporaryDirectory directory;
    RecorderOptions options = {directory.path().c_str(), "app-1", "7", 65536, "3.11.7"};
    options.started_by_task = started_by_task;
    const Result<Recorder*> made = Recorder::Create(options);
    ASSERT_TRUE(made.ok()) << made.status().message();
    Recorder& recorder = **made;
    const Result<BoxReader> box = BoxReader::Open(recorder.box_path());
    ASSERT_TRUE(box.ok());
    const BoxPlace place{directory.path(), "app-1", "7"};
    const ProcessName owner = NameOf(box->identity());
    EXPECT_EQ(owner.pid, getpid());

    recorder.OpenSession({41, 3, 0, 5, 0});
    recorder.CloseSession();
    EXPECT_FALSE(HasOpenTask(*box));
    EXPECT_FALSE(DeathOfWorker(place, owner).has_value()) << "between two tasks";
    recorder.OpenSession({42, 4, 1, 6, 0});
    recorder.Allocated({Origin::kPython, 0x10000000, kBytes, kBytes, 1, kNoStack});
    EXPECT_TRUE(HasOpenTask(*box));
    std::optional<DeathInBox> found = DeathOfWorker(place, owner);
    ASSERT_TRUE(found.has_value());
    const proto::WorkerDeath* death = &found->death;
    EXPECT_EQ(death->pid(), getpid());
    EXPECT_EQ(death->task_attempt_id(), 42);
    EXPECT_EQ(death->stage_id(), 4);
    EXPECT_EQ(death->partition(), 6);
    EXPECT_EQ(death->live_bytes(), kBytes);
    EXPECT_EQ(death->started_by_task(), started_by_task);
    ASSERT_EQ(found->sessions.sessions.size(), 1u) << "of the task, not of the one before";
    AddOtherSessions(place, 42, Leftovers::kLeave, found->box_path, &found->sessions);
    EXPECT_EQ(found->sessions.sessions.size(), 1u) << "its box is read once";
    AddOtherSessions(place, 42, Leftovers::kLeave, "another box", &found->sessions);
    EXPECT_EQ(found->sessions.sessions.size(), 2u);
    EXPECT_FALSE(DeathOfWorker(place, {owner.pid, owner.start_ticks + 1}).has_value()) << "an earlier process of this pid";
    Recorder::AbandonInChild(&recorder);
    place.last_seen->Replace({{found->box_path, {EpochMs() + 1000, 0}}});
    EXPECT_TRUE(FindSessions(place, 42, Leftovers::kLeave).sessions.at(0).ended_ms);
    found = DeathOfWorker(place, owner);
    ASSERT_TRUE(found.has_value());
    EXPECT_FALSE(found->sessions.sessions.at(0).ended_ms) << "it has died just now, and not when it was last seen";
  }
}

// A worker of executor 7.
struct Worker {
  Worker() {
    const Result<Recorder*> made = Recorder::Create({directory.path().c_str(), "app-1", "7", 65536, "3.11.7"});
    EXPECT_TRUE(made.ok()) << made.status().message();
    if (!made.ok()) return;
    recorder = *made;
    owner = NameOf(BoxReader::Open(recorder->box_path())->identity());
  }

  TemporaryDirectory directory;
  Recorder* recorder = nullptr;
  BoxPlace place{directory.path(), "app-1", "7"};
  ProcessName owner;
};

// A cache that earlier tasks have filled, as it is when the next task's worker is killed.
TEST(WorkerDeath, ComesWithWhatEarlierTasksHadLeft) {
  constexpr uint64_t kCached = 300'000'007;
  Worker worker;
  ASSERT_NE(worker.recorder, nullptr);
  Recorder& recorder = *worker.recorder;
  const BoxPlace& place = worker.place;
  const ProcessName owner = worker.owner;
  const FrameId frames[] = {recorder.InternPythonFrame({"remember", 8}, {"job.py", 6}, 22, 20)};
  const BoxStackId stack = recorder.InternStack(frames, 1, kCached);
  recorder.OpenSession({41, 3, 0, 5, 0});
  recorder.Allocated({Origin::kPython, 0x10000000, kCached, kCached, 1, stack});
  recorder.CloseSession();
  recorder.OpenSession({42, 4, 1, 6, 0});
  recorder.Allocated({Origin::kPython, 0x50000000, kBytes, kBytes, 1, stack});
  Recorder::AbandonInChild(&recorder);
  const std::optional<DeathInBox> found = DeathOfWorker(place, owner);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->sessions.sessions.size(), 1u);
  const PythonSession& python = found->sessions.sessions[0];
  EXPECT_EQ(python.session.live_bytes, kBytes) << "the task's own";
  ASSERT_TRUE(python.leftovers);
  EXPECT_EQ(python.leftovers->process.live_bytes, kCached);
  EXPECT_LT(python.leftovers->through, python.session.number);
}

TEST(WorkerDeath, BelowAWorkerItIsOfTheTaskServedLastOpenOrNot) {
  Worker worker;
  ASSERT_NE(worker.recorder, nullptr);
  Recorder& recorder = *worker.recorder;
  const BoxPlace& place = worker.place;
  const ProcessName owner = worker.owner;
  EXPECT_FALSE(DeathBelow(place, owner)) << "no task yet";
  recorder.OpenSession({41, 3, 0, 5, 0});
  recorder.CloseSession();
  recorder.OpenSession({42, 4, 1, 6, 0});
  for (const bool open : {true, false}) {
    if (!open) recorder.CloseSession();
    const std::optional<proto::WorkerDeath> death = DeathBelow(place, owner);
    ASSERT_TRUE(death) << open;
    EXPECT_EQ(death->task_attempt_id(), 42);
    EXPECT_EQ(death->stage_id(), 4);
    EXPECT_EQ(death->stage_attempt(), 1);
    EXPECT_EQ(death->partition(), 6);
    EXPECT_TRUE(death->started_by_task());
  }
  EXPECT_FALSE(DeathBelow(place, {owner.pid, owner.start_ticks + 1}));
  Recorder::AbandonInChild(&recorder);
}

TEST(WorkerDeath, AProcessOfATaskMayHaveEndedByItself) {
  struct Case {
    bool started_by_task;
    std::optional<uint64_t> kernel_kills;
    int signal;
    bool may;
  };
  for (const Case& each : {Case{true, 0, 0, true}, Case{true, 1, 0, false}, Case{true, 0, 11, false}, Case{true, std::nullopt, 0, false},
                           Case{false, 0, 0, false}}) {
    proto::WorkerDeath death;
    death.set_started_by_task(each.started_by_task);
    death.set_signal(each.signal);
    if (each.kernel_kills) death.set_oom_kills(*each.kernel_kills);
    EXPECT_EQ(MayHaveEndedByItself(death), each.may) << each.kernel_kills.value_or(9) << " " << each.signal;
  }
}

}  // namespace
}  // namespace memprof
