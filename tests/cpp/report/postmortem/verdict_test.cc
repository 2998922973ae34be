#include "postmortem/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/postmortem/evidence.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;

using namespace testing;

TEST(Verdict, UseNearTheLimitIsMemory) {
  EXPECT_TRUE(Judge(Killed(kLimit / 100 * 97)).out_of_memory);
  EXPECT_THAT(Judge(Killed(kLimit / 100 * 97)).how, HasSubstr("137 (SIGKILL), with 97 %"));
  EXPECT_THAT(Judge(Killed(kLimit / 100 * 97)).how, HasSubstr("; whether the kernel killed it is not known"));
}

TEST(Verdict, LowUseIsNot) {
  Verdict verdict = Judge(Killed(kLimit / 100 * 23));
  EXPECT_FALSE(verdict.out_of_memory);
  EXPECT_THAT(verdict.how, HasSubstr("23 % of the limit"));
}

TEST(Verdict, TheKernelsCountIsWordOfLaw) {
  DeathEvidence low = Killed(kLimit / 10), high = Killed(kLimit);
  low.kernel_kills = 1;
  low.counted_by = high.counted_by = "executor 4";
  EXPECT_TRUE(Judge(low).out_of_memory) << "it died too fast for a sample";
  EXPECT_THAT(Judge(low).how, HasSubstr("rose by 1, as executor 4 found"));
  high.kernel_kills = low.kernel_kills = 0;
  EXPECT_FALSE(Judge(low).unknown || Judge(low).out_of_memory);
  EXPECT_THAT(Judge(low).how, HasSubstr("killed from outside"));
  EXPECT_FALSE(Judge(high).out_of_memory) << "a full container that somebody killed";
  high.loss = {};
  EXPECT_TRUE(Judge(high).unknown) << "nobody has heard an exit code: it may have ended itself";
}

// systemd-oomd ends a cgroup that waits for memory before the kernel has to.
TEST(Verdict, AFullContainerThatTheKernelDidNotKillMayHaveBeenKilledForItsMemory) {
  DeathEvidence evidence = Killed(kLimit / 100 * 99);
  evidence.kernel_kills = 0;
  evidence.counted_by = "executor 4";
  EXPECT_TRUE(Judge(evidence).unknown && Judge(evidence).maybe_of_memory && !Judge(evidence).out_of_memory);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("99 % of the limit in use at the last sample; executor 4 found that the kernel killed nothing "
                                             "in its cgroup, but the cluster's or the host's own killer "
                                             "(earlyoom, systemd-oomd) may have killed it"));
  WorkerEvidence worker;
  worker.death = evidence;
  worker.death.loss = {};
  EXPECT_FALSE(JudgeWorker(worker).unknown) << "its executor lives: nobody ended the container";
  worker.death.host_memory_bytes = 10 * kLimit;
  worker.death.host_available_bytes = kLimit / 2;
  EXPECT_TRUE(JudgeWorker(worker).unknown && !JudgeWorker(worker).maybe_of_memory) << "a killer of the host's, which takes processes";
  EXPECT_THAT(JudgeWorker(worker).how, HasSubstr("or it crashed, or ended itself"));
  worker.signal = 11;
  EXPECT_FALSE(JudgeWorker(worker).unknown) << "its own word stands above";
  evidence.sample_age_ms = kStaleSampleMs;
  EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).maybe_of_memory) << "it may have been far from its limit by then";
  evidence.sample_age_ms.reset();
  evidence.used_bytes = kLimit / 100 * 80;
  EXPECT_FALSE(Judge(evidence).unknown || Judge(evidence).maybe_of_memory);
  evidence.host_memory_bytes = 10 * kLimit;
  evidence.host_available_bytes = kLimit;
  EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).maybe_of_memory) << "the host's killer, and not for what this one used";
  evidence.host_available_bytes = 9 * kLimit;
  evidence.used_bytes.reset();
  EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).maybe_of_memory) << "how near its limit, nobody knows";
}

// YARN without cgroups: the executor's own limit is enforced, and the host is over-committed.
TEST(Verdict, AHostThatWasFullMayHaveKilledWhoWasFarFromItsOwnLimit) {
  DeathEvidence evidence = Killed(kLimit / 100 * 60);
  evidence.host_memory_bytes = 10 * kLimit;
  evidence.host_available_bytes = 5 * kLimit;
  EXPECT_FALSE(Judge(evidence).unknown);
  evidence.host_available_bytes = kLimit / 10;
  EXPECT_TRUE(Judge(evidence).unknown);
  EXPECT_THAT(Judge(evidence).how,
              HasSubstr("60 % of the limit in use at the last sample; but its host was full: all on it together used 99 %"));
  evidence.kernel_kills = 0;
  EXPECT_TRUE(Judge(evidence).unknown) << "a killer in user space";
  WorkerEvidence worker;
  worker.death = evidence;
  EXPECT_TRUE(JudgeWorker(worker).unknown);
  evidence.kernel_kills.reset();
  evidence.host_available_bytes = 5 * kLimit;
  evidence.host_kills_rose = true;
  EXPECT_TRUE(Judge(evidence).unknown);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("the kernel killed something on its host meanwhile"));
  evidence.used_bytes = kLimit / 100 * 97;
  EXPECT_TRUE(Judge(evidence).out_of_memory) << "its own limit was near";
}

TEST(Verdict, OfAFullHostWhoUsedLittleOfItIsNotToBlame) {
  DeathEvidence evidence = Killed(kLimit / 100 * 15);
  evidence.limit_is_hosts = true;
  evidence.host_available_bytes = kLimit / 100 * 2;
  EXPECT_TRUE(Judge(evidence).of_host);
  evidence.host_kills_rose = true;
  EXPECT_TRUE(Judge(evidence).out_of_memory && Judge(evidence).of_host) << "which the kernel's count supports";
  evidence.used_bytes = kLimit / 100 * 70;
  EXPECT_TRUE(Judge(evidence).out_of_memory);
  EXPECT_FALSE(Judge(evidence).of_host);
}

// cgroup v2 counts them in the victim's own cgroup.
TEST(Verdict, AKillForWantOfTheHostsMemoryIsCountedToo) {
  DeathEvidence evidence = Killed(kLimit / 100 * 60);
  evidence.kernel_kills = 1;
  evidence.host_memory_bytes = 10 * kLimit;
  evidence.host_available_bytes = 5 * kLimit;
  EXPECT_TRUE(Judge(evidence).out_of_memory);
  EXPECT_FALSE(Judge(evidence).of_host);
  evidence.host_available_bytes = kLimit / 10;
  EXPECT_TRUE(Judge(evidence).out_of_memory && Judge(evidence).of_host);
  evidence.host_available_bytes = kLimit / 2;
  EXPECT_FALSE(Judge(evidence).of_host) << "the host was full, but its own limit had less room";
  evidence.host_available_bytes = kLimit / 10;
  evidence.used_bytes = kLimit / 100 * 95;
  EXPECT_FALSE(Judge(evidence).of_host) << "its own limit was near";
}

TEST(Verdict, WhatANodesManagerEvictedFor) {
  DeathEvidence evidence = Killed(kLimit / 100 * 90);
  evidence.loss.kind = LossKind::kEvicted;
  EXPECT_TRUE(Judge(evidence).unknown);
  evidence.loss.evicted_for = NodeShortage::kOther;
  EXPECT_FALSE(Judge(evidence).unknown || Judge(evidence).out_of_memory) << "a full disk, however full the container was";
  evidence.loss.evicted_for = NodeShortage::kMemory;
  evidence.used_bytes = kLimit / 2;
  EXPECT_TRUE(Judge(evidence).out_of_memory && Judge(evidence).of_host);
}

// On a host with room, too: ulimit -v, vm.overcommit_memory and vm.max_map_count bound what it may have.
TEST(Verdict, AJvmThatTheSystemRefusesMemoryEndsWithOne) {
  DeathEvidence evidence = Killed(kLimit / 2);
  evidence.loss.exit_code = 1;
  evidence.host_memory_bytes = 10 * kLimit;
  for (const std::optional<uint64_t> available : {std::optional(5 * kLimit), std::optional(kLimit / 10), std::optional<uint64_t>()}) {
    evidence.host_available_bytes = available;
    EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).out_of_memory);
    EXPECT_THAT(Judge(evidence).how, HasSubstr("hs_err_pid"));
    EXPECT_EQ(Judge(evidence).how.find("all on its host together") != std::string::npos, available == kLimit / 10);
  }
  evidence.used_bytes.reset();
  EXPECT_TRUE(Judge(evidence).unknown) << "at its start";
}

// Its counter is of the whole container and never falls.
TEST(Verdict, WhatKubernetesSaysOfAnEarlierKillIsNoWordOfThisEnd) {
  DeathEvidence evidence = Killed(kLimit / 5);
  evidence.loss = ParseLossReason("The executor with id 1 exited with exit code 137(SIGKILL, possible container OOM). reason: OOMKilled");
  ASSERT_TRUE(evidence.loss.of_any_kill);
  EXPECT_TRUE(Judge(evidence).out_of_memory && !Judge(evidence).of_host) << "nothing else was killed there";
  evidence.host_memory_bytes = 10 * kLimit;
  evidence.host_available_bytes = kLimit / 10;
  EXPECT_TRUE(Judge(evidence).of_host) << "of a kill for a full node it is said, too";
  evidence.host_memory_bytes.reset();
  evidence.host_available_bytes.reset();
  evidence.kills_before = 2;
  EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).out_of_memory);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("with 20 % of the limit in use at the last sample; the cluster manager says OOMKilled"));
  EXPECT_THAT(Judge(evidence).how, HasSubstr("it had killed 2 Python workers there before"));
  evidence.sample_age_ms = kStaleSampleMs;
  EXPECT_TRUE(Judge(evidence).out_of_memory) << "what was in use at its end is not known";
  evidence.sample_age_ms = 100;
  evidence.used_bytes = kLimit / 100 * 92;
  EXPECT_TRUE(Judge(evidence).out_of_memory);
  evidence.used_bytes = kLimit / 5;
  evidence.kernel_kills = 1;
  EXPECT_TRUE(Judge(evidence).out_of_memory) << "a kill of its own";
  evidence.kernel_kills.reset();
  evidence.loss = ParseLossReason("Container killed by YARN for exceeding physical memory limits. 1.1 GB of 1 GB physical memory used.");
  EXPECT_TRUE(Judge(evidence).out_of_memory) << "YARN says it of this end";
}

// No message of the error has come: a full heap may have no room for one, and HotSpot doesn't wait.
TEST(Verdict, AFullHeapThatEndsAsAfterAnErrorMayHaveHadOne) {
  for (const int code : {143, 134, 50}) {
    DeathEvidence evidence = Killed(kLimit / 3);
    evidence.loss.exit_code = code;
    evidence.heap_max_bytes = 1000;
    evidence.heap_used_bytes = 999;
    EXPECT_FALSE(Judge(evidence).unknown) << code << ": it may have been long before";
    evidence.heap_left_bytes = 940;
    EXPECT_FALSE(Judge(evidence).unknown) << code;
    evidence.heap_left_bytes = 990;
    EXPECT_TRUE(Judge(evidence).unknown && Judge(evidence).maybe_of_heap && !Judge(evidence).out_of_memory) << code;
    EXPECT_THAT(Judge(evidence).how, HasSubstr(", and 99 % of the heap was in use after its last collection; a JVM may be told to end so"));
    evidence.heap_error = "Java heap space";
    EXPECT_TRUE(Judge(evidence).of_heap) << code;
  }
}

TEST(Verdict, NoKillOnTheWholeHostIsNoneInACgroupOfIt) {
  for (const uint64_t used : {kLimit / 3, kLimit}) {
    WorkerEvidence worker;
    worker.death = Killed(used);
    worker.death.kernel_kills = 0;
    EXPECT_THAT(JudgeWorker(worker).how, HasSubstr("oom_kill counter of its cgroup did not rise"));
    worker.death.counted_on_host = true;
    const Verdict verdict = JudgeWorker(worker);
    EXPECT_FALSE(verdict.out_of_memory);
    EXPECT_EQ(verdict.unknown, used == kLimit) << "a killer in user space is not counted";
    EXPECT_THAT(verdict.how, HasSubstr(used == kLimit ? "killed nothing there" : "oom_kill counter of its host did not rise"));
  }
}

TEST(Verdict, WithoutAnExitCodeTheHostsCountDoesNotSayWhoDidIt) {
  DeathEvidence evidence = Killed(kLimit / 3);
  evidence.kernel_kills = 0;
  evidence.counted_on_host = true;
  EXPECT_THAT(Judge(evidence).how, HasSubstr("killed nothing there: killed from outside"));
  evidence.loss = {};  // it may have crashed
  EXPECT_TRUE(Judge(evidence).unknown);
}

// Spark 3.5 looks only at the exception itself, and file writers wrap what a task throws.
TEST(Verdict, AWrappedErrorEndsAJvmOfSpark35WithAnotherCode) {
  DeathEvidence evidence = Killed(kLimit / 3);
  evidence.loss = ParseLossReason("Command exited with code 50");
  EXPECT_FALSE(Judge(evidence).out_of_memory) << "any exception ends one so";
  evidence.heap_error = "Java heap space";
  EXPECT_TRUE(Judge(evidence).of_heap);
  evidence.heap_error.clear();
  evidence.last_word = JvmShortage{JvmPool::kDirectBuffers, {}, {}, {}};
  EXPECT_TRUE(Judge(evidence).of_jvm);
}

TEST(Verdict, MoreThanAHostThatHasRoomIsCountedTwice) {
  DeathEvidence evidence = Killed(kLimit / 100 * 133);  // of processes that share pages
  evidence.used_before_bytes = evidence.used_bytes;
  evidence.limit_is_hosts = true;
  evidence.host_available_bytes = kLimit / 10 * 7;
  EXPECT_FALSE(Judge(evidence).out_of_memory);
  EXPECT_FALSE(Judge(evidence).unknown);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("133 % of the limit in use at the last sample, where pages that its processes share count"));
  EXPECT_THAT(Judge(evidence).how, HasSubstr("all on it together used 30 %"));
  evidence.host_available_bytes = kLimit / 10 * 4;
  EXPECT_FALSE(Judge(evidence).out_of_memory);
  EXPECT_TRUE(Judge(evidence).unknown) << "a second fills gigabytes";
  evidence.counted_on_host = true;
  evidence.kernel_kills = 0;
  EXPECT_FALSE(Judge(evidence).unknown) << "a killer of full containers looks at what counts once";
  evidence.kernel_kills.reset();
  evidence.counted_on_host = false;
  evidence.host_available_bytes.reset();
  EXPECT_TRUE(Judge(evidence).out_of_memory);
  evidence.used_bytes = kLimit / 100 * 86;
  evidence.host_available_bytes = kLimit / 100 * 16;
  EXPECT_TRUE(Judge(evidence).out_of_memory) << "it filled the host, whose figure is a second older";
}

TEST(Verdict, AnOldLookAtAHostThatWasNearlyFullProvesNothing) {
  constexpr uint64_t kLarge = 40 * kLimit;  // nobody fills it in ten seconds
  DeathEvidence evidence = Killed(kLarge / 100 * 60);
  evidence.limit_bytes = kLarge;
  evidence.host_memory_bytes = 10 * kLarge;
  evidence.host_available_bytes = kLarge / 10 * 14;
  evidence.sample_age_ms = 9'000;
  EXPECT_FALSE(Judge(evidence).unknown);
  evidence.sample_age_ms = 11'000;
  EXPECT_TRUE(Judge(evidence).unknown);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("its host was nearly full: all on it together used 86 %"));
  evidence.host_available_bytes = 2 * kLarge;
  EXPECT_FALSE(Judge(evidence).unknown);
}

TEST(Verdict, AKillerOfTheHostsMayEndAProcessBySigkill) {
  for (const bool limit_is_hosts : {false, true}) {
    DeathEvidence evidence = Killed(kLimit / 3);
    evidence.limit_is_hosts = limit_is_hosts;
    evidence.host_memory_bytes = kLimit;
    evidence.host_available_bytes = kLimit / 10;
    EXPECT_TRUE(Judge(evidence).unknown);
    evidence.host_available_bytes = kLimit / 5;
    EXPECT_FALSE(Judge(evidence).unknown);
  }
}

// earlyoom's first step, at a tenth of the memory.
TEST(Verdict, AKillerOfTheHostsMayEndAProcessBySigterm) {
  DeathEvidence evidence = Killed(kLimit / 3);
  evidence.loss = ParseLossReason("Command exited with code 143");
  evidence.host_memory_bytes = 10 * kLimit;
  evidence.host_available_bytes = kLimit;
  EXPECT_TRUE(Judge(evidence).unknown);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("143 (SIGTERM); all on its host together used 90 %, and a killer of the host's own"));
  WorkerEvidence worker;
  worker.death = evidence;
  worker.death.loss = {};
  worker.death.kernel_kills = 0;
  EXPECT_TRUE(JudgeWorker(worker).unknown);
  worker.death.host_available_bytes = evidence.host_available_bytes = 2 * kLimit;
  EXPECT_FALSE(Judge(evidence).unknown);
  EXPECT_FALSE(JudgeWorker(worker).unknown);
}

TEST(Verdict, WhatYarnTookAwayForAReasonOfItsOwnIsNotOfMemory) {
  DeathEvidence evidence = Killed(kLimit / 100 * 97);
  evidence.loss = ParseLossReason("Container marked as failed: c_1 on host: node7. Exit status: -101. Diagnostics: Disk(s) failed.");
  EXPECT_FALSE(Judge(evidence).unknown || Judge(evidence).out_of_memory);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("YARN gives status -101 and no exit code; YARN took it away, not for memory"));
}

// By its own code, after many heartbeats that failed, or because its driver had given it up.
TEST(Verdict, AnExecutorThatLostItsDriverMayHaveBeenBusyCollecting) {
  for (const int code : {56, 58}) {
    DeathEvidence evidence = Killed(kLimit / 3);
    evidence.loss = ParseLossReason("Command exited with code " + std::to_string(code));
    EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).out_of_memory);
    EXPECT_THAT(Judge(evidence).how, HasSubstr("), with 33 % of the limit in use at the last sample: a broken connection"));
    evidence.heap_error = "Java heap space";
    EXPECT_TRUE(Judge(evidence).of_heap) << "its agent's word stands above";
  }
}

TEST(Verdict, OfTheHostsMemoryOthersMayHaveUsedTheRest) {
  DeathEvidence evidence = Killed(kLimit / 100 * 15);
  evidence.limit_is_hosts = true;
  EXPECT_TRUE(Judge(evidence).unknown);
  EXPECT_FALSE(Judge(evidence).out_of_memory);
  evidence.host_available_bytes = kLimit / 2;
  EXPECT_FALSE(Judge(evidence).unknown);
  EXPECT_FALSE(Judge(evidence).out_of_memory);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("all on it together used 50 %"));
  evidence.sample_age_ms = kStaleHostSampleMs;
  EXPECT_TRUE(Judge(evidence).unknown) << "others may have filled it since";
  EXPECT_THAT(Judge(evidence).how, HasSubstr("used 50 %, measured 10"));
  evidence.host_available_bytes = kLimit / 100 * 2;
  EXPECT_TRUE(Judge(evidence).out_of_memory);
  evidence.host_available_bytes.reset();
  evidence.used_bytes = kLimit / 100 * 90;
  EXPECT_TRUE(Judge(evidence).out_of_memory);
}

TEST(Verdict, WhereAContainerMayBoundItUnseenALowUseProvesNothing) {
  DeathEvidence evidence = Killed(kLimit / 100 * 15);
  evidence.limit_is_hosts = true;
  evidence.host_available_bytes = kLimit / 2;
  EXPECT_FALSE(Judge(evidence).unknown);
  evidence.limit_is_unseen = true;
  EXPECT_TRUE(Judge(evidence).unknown);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("whether a container limits it lower can't be seen from inside"));
  WorkerEvidence worker;
  worker.death = evidence;
  EXPECT_TRUE(JudgeWorker(worker).unknown);
  evidence.kernel_kills = 0;
  evidence.counted_on_host = true;
  EXPECT_FALSE(Judge(evidence).unknown) << "a container's kills are among the host's, of which there were none";
  evidence.kernel_kills.reset();
  evidence.host_available_bytes = kLimit / 100;
  EXPECT_TRUE(Judge(evidence).out_of_memory) << "the host was full";
  evidence.host_available_bytes = kLimit / 2;
  evidence.loss.exit_code = 143;
  EXPECT_FALSE(Judge(evidence).unknown) << "no SIGKILL";
}

TEST(Verdict, WhatADeadWorkerGaveBackIsNotKnownExactly) {
  DeathEvidence evidence = Killed(kLimit / 100 * 30);
  evidence.used_before_bytes = kLimit / 100 * 92;
  EXPECT_TRUE(Judge(evidence).unknown);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("30 % of the limit in use at the last sample, without what workers had held that died since"));
  evidence.used_before_bytes = kLimit / 100 * 60;
  EXPECT_FALSE(Judge(evidence).unknown);
}

TEST(Verdict, TheKernelKillsBySigkillAlone) {
  DeathEvidence evidence = Killed(kLimit / 100 * 92);
  evidence.kernel_kills = 1;  // of another process of the same group
  evidence.loss.exit_code = 1;
  EXPECT_FALSE(Judge(evidence).out_of_memory);
}

TEST(Verdict, TheManagersWord) {
  DeathEvidence evidence;
  evidence.loss = {LossKind::kContainerMemory, std::nullopt};
  EXPECT_TRUE(Judge(evidence).out_of_memory);
  EXPECT_FALSE(Judge(evidence).of_heap);
}

TEST(Verdict, HeapsThatRanOut) {
  DeathEvidence evidence = Killed(kLimit / 10);
  evidence.loss.exit_code = kExitSparkOom;
  EXPECT_TRUE(Judge(evidence).out_of_memory);
  EXPECT_TRUE(Judge(evidence).of_unknown_pool) << "Spark ends it so for an error of any pool";
  EXPECT_THAT(Judge(evidence).how, HasSubstr("of what error is not known"));
  evidence.loss.exit_code = kExitHotSpotOom;
  EXPECT_FALSE(Judge(evidence).out_of_memory) << "3 alone proves nothing";
  evidence.exits_on_out_of_memory = true;
  EXPECT_TRUE(Judge(evidence).out_of_memory) << "its JVM was told to end so";
  EXPECT_TRUE(Judge(evidence).of_unknown_pool);
  EXPECT_FALSE(Judge(evidence).of_heap) << "it may have been space for classes";
  EXPECT_THAT(Judge(evidence).how, HasSubstr("ExitOnOutOfMemoryError"));
  evidence.loss.exit_code = kExitSigkill;
  EXPECT_FALSE(Judge(evidence).out_of_memory) << "with this code, and no other";
  evidence.loss.exit_code = kExitHotSpotOom;
  evidence.heap_max_bytes = 400;
  evidence.heap_used_bytes = 396;
  EXPECT_FALSE(Judge(evidence).of_heap) << "what was in use earlier proves nothing";
  evidence.heap_error = "Java heap space";
  EXPECT_TRUE(Judge(evidence).of_heap) << "its agent's word";
  EXPECT_FALSE(Judge(evidence).of_unknown_pool);
}

TEST(Verdict, OtherPoolsOfAJvmByItsOwnWord) {
  for (int code : {kExitSparkOom, kExitHotSpotOom}) {
    DeathEvidence evidence = Killed(kLimit / 10);
    evidence.loss.exit_code = code;
    evidence.last_word = JvmShortage{JvmPool::kDirectBuffers, {}, {}, {}};
    EXPECT_TRUE(Judge(evidence).out_of_memory);
    EXPECT_FALSE(Judge(evidence).of_heap);
    EXPECT_TRUE(Judge(evidence).of_jvm);
    EXPECT_THAT(Judge(evidence).how, HasSubstr("direct buffers"));
    evidence.last_word->pool = JvmPool::kThreads;
    EXPECT_FALSE(Judge(evidence).out_of_memory) << "no memory was missing";
    EXPECT_THAT(Judge(evidence).how, HasSubstr("pids.max"));
    evidence.last_word->pool = JvmPool::kHeap;
    EXPECT_TRUE(Judge(evidence).of_heap);
  }
  for (int code : {134, 143}) {  // CrashOnOutOfMemoryError; YARN's OnOutOfMemoryError='kill %p'
    DeathEvidence evidence = Killed(kLimit / 10);
    evidence.loss.exit_code = code;
    EXPECT_FALSE(Judge(evidence).out_of_memory);
    evidence.last_word = JvmShortage{JvmPool::kMetaspace, {}, {}, {}};
    EXPECT_TRUE(Judge(evidence).of_jvm) << code;
    evidence.last_word->pool = JvmPool::kOther;
    EXPECT_FALSE(Judge(evidence).out_of_memory) << code;
  }
  DeathEvidence killed = Killed(kLimit / 10);
  killed.last_word = JvmShortage{JvmPool::kDirectBuffers, {}, {}, {}};
  EXPECT_FALSE(Judge(killed).of_jvm) << "a task's word proves nothing of a kill";
}

TEST(Verdict, TheWordOfAJvmThatKillsItselfCountsMoreThanOtherKillsInItsContainer) {
  DeathEvidence evidence = Killed(kLimit / 3);
  evidence.kills_itself_on_out_of_memory = true;
  evidence.heap_error = "Java heap space";
  evidence.kernel_kills = 1;
  evidence.last_word = JvmShortage{JvmPool::kThreads, {}, {}, {}};  // of a task that had failed before
  EXPECT_TRUE(Judge(evidence).of_heap);
  evidence.heap_error = "Requested array size exceeds VM limit";
  EXPECT_TRUE(Judge(evidence).of_array);
  evidence.loss.kind = LossKind::kContainerMemory;
  evidence.heap_error = "Java heap space";
  EXPECT_TRUE(Judge(evidence).of_heap);
}

TEST(Verdict, AJvmThatKillsItselfOnAnErrorMostlyLeavesNoWord) {
  DeathEvidence evidence = Killed(kLimit / 3);
  EXPECT_FALSE(Judge(evidence).unknown);
  evidence.kills_itself_on_out_of_memory = true;
  for (const bool by_kernel : {false, true}) {
    evidence.kernel_kills = by_kernel;
    EXPECT_EQ(Judge(evidence).unknown, !by_kernel);
    EXPECT_EQ(Judge(evidence).out_of_memory, by_kernel);
  }
  evidence.kernel_kills = 0;
  evidence.counted_by = "somebody";
  EXPECT_THAT(Judge(evidence).how,
              HasSubstr("; somebody found that the kernel killed nothing in its cgroup; its JVM is told to kill itself so"));
  evidence.kernel_kills.reset();
  evidence.heap_used_bytes = kLimit / 4;
  evidence.heap_max_bytes = kLimit / 3;
  EXPECT_TRUE(Judge(evidence).unknown);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("(OnOutOfMemoryError), and at most 75 % of the heap was in use after a collection"));
  evidence.used_bytes = kLimit;
  EXPECT_TRUE(Judge(evidence).unknown && Judge(evidence).maybe_of_heap) << "a full container, and a heap nearly full: either";
  evidence.host_kills_rose = true;
  EXPECT_TRUE(Judge(evidence).out_of_memory) << "a JVM that kills itself moves no counter of the kernel's";
  evidence.host_kills_rose = false;
  evidence.kills_of_any_time = true;
  EXPECT_TRUE(Judge(evidence).unknown) << "those may be of another, later";
  evidence.heap_used_bytes = kLimit / 10;
  EXPECT_TRUE(Judge(evidence).out_of_memory);
  evidence.used_bytes = kLimit / 3;
  EXPECT_TRUE(Judge(evidence).unknown) << "one large array is enough";
  evidence.loss.exit_code = 143;
  EXPECT_FALSE(Judge(evidence).unknown) << "no SIGKILL";
}

TEST(Verdict, AnArrayThatIsLongerThanAnyIsNoFullHeap) {
  DeathEvidence evidence = Killed(kLimit / 10);
  evidence.loss.exit_code = kExitSparkOom;
  evidence.last_word = JvmShortage{JvmPool::kArray, {}, {}, {}};
  EXPECT_TRUE(Judge(evidence).of_array && Judge(evidence).out_of_memory);
  EXPECT_FALSE(Judge(evidence).of_heap || Judge(evidence).of_jvm);
  evidence.last_word->pool = JvmPool::kOther;
  EXPECT_TRUE(Judge(evidence).of_unknown_pool) << "the error has no text";
  evidence.last_word.reset();
  evidence.heap_error = "Requested array size exceeds VM limit";
  EXPECT_TRUE(Judge(evidence).of_array);
  evidence.heap_error = "Java heap space";
  EXPECT_TRUE(Judge(evidence).of_heap);
  evidence.last_word = JvmShortage{JvmPool::kArray, {}, {}, {}};
  EXPECT_TRUE(Judge(evidence).of_heap) << "a task's older word";
}

TEST(Verdict, AddressSpaceIsNotMemory) {
  DeathEvidence evidence = Killed(kLimit / 3);
  evidence.loss = ParseLossReason("Container killed by YARN for exceeding virtual memory limits. 10.6 GB of 10.5 GB virtual memory used.");
  EXPECT_TRUE(Judge(evidence).of_address_space);
  evidence.loss = ParseLossReason("Container killed by YARN for exceeding physical memory limits. 1.1 GB of 1 GB physical memory used.");
  EXPECT_FALSE(Judge(evidence).of_address_space);
}

TEST(Verdict, OfASigtermWithoutAnySampleNothingIsKnown) {
  DeathEvidence evidence;
  evidence.loss = ParseLossReason("Container marked as failed. Exit status: 143");
  EXPECT_TRUE(Judge(evidence).unknown);
  evidence.used_bytes = kLimit / 3;
  evidence.limit_bytes = kLimit;
  EXPECT_FALSE(Judge(evidence).unknown);
}

TEST(Verdict, CrashesAreNotMemoryHoweverFull) {
  for (int code : {134, 139, 143, 1}) {
    DeathEvidence evidence = Killed(kLimit);
    evidence.loss.exit_code = code;
    EXPECT_FALSE(Judge(evidence).out_of_memory) << code;
  }
}

}  // namespace
}  // namespace memprof
