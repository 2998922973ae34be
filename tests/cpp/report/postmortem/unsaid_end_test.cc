#include "postmortem/unsaid_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/postmortem/evidence.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using namespace testing;

constexpr const char* kDisassociated = "Remote RPC client disassociated. Likely due to containers exceeding thresholds, or network issues.";

// All that Spark knows is that a connection broke.
TEST(UnsaidEnd, WithoutAnExitCodeOnlyAFreshRiseNearTheLimitIsMemory) {
  struct Case {
    uint64_t percent;
    bool rose, of_memory;
  };
  for (const Case& each : {Case{96, true, true}, Case{96, false, false}, Case{84, true, false}, Case{50, false, false}}) {
    DeathEvidence evidence = Killed(kLimit / 100 * each.percent);
    evidence.loss = ParseLossReason(kDisassociated);
    evidence.rose_lately = each.rose;
    EXPECT_EQ(Judge(evidence).out_of_memory, each.of_memory) << each.percent;
    EXPECT_EQ(Judge(evidence).unknown, !each.of_memory) << each.percent;
    EXPECT_THAT(Judge(evidence).how, HasSubstr(each.of_memory ? "which had risen shortly before; whether the kernel killed it"
                                                              : "; a broken connection, a crash and a kill look alike"));
  }
  DeathEvidence evidence = Killed(kLimit / 2);
  evidence.loss = ParseLossReason(kDisassociated);
  evidence.host_memory_bytes = 10 * kLimit;
  evidence.host_available_bytes = kLimit;
  evidence.kills_of_any_time = true;
  EXPECT_THAT(Judge(evidence).how, HasSubstr("50 % of the limit in use at the last sample; the kernel killed something in its cgroup"));
  EXPECT_THAT(Judge(evidence).how, HasSubstr("; all on its host together used 90 %; a broken connection")) << "what is known";
  evidence.kernel_kills = 1;
  EXPECT_TRUE(Judge(evidence).out_of_memory) << "the kernel's word stands above";
  evidence.kernel_kills.reset();
  evidence.used_bytes.reset();
  EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).out_of_memory);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("its use of memory is not known"));
}

// Where the host's memory is the limit, its own use says little of it.
TEST(UnsaidEnd, OnAFullHostTheKernelsCountThereDecides) {
  DeathEvidence evidence = Killed(kLimit / 100 * 30);
  evidence.loss = ParseLossReason(kDisassociated);
  evidence.limit_is_hosts = true;
  evidence.host_available_bytes = kLimit / 100;
  EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).out_of_memory);
  evidence.host_kills_rose = true;
  EXPECT_TRUE(Judge(evidence).out_of_memory && Judge(evidence).of_host);
  EXPECT_THAT(Judge(evidence).how, HasSubstr("which is the host's memory; all on it together used 99 %"));
  evidence.host_available_bytes = kLimit / 10;
  EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).out_of_memory);
}

// Its executor found that the process is gone, so no connection is in doubt.
TEST(UnsaidEnd, OfAWorkerThatIsGoneUseDecides) {
  for (const uint64_t percent : {96, 50}) {
    WorkerEvidence worker;
    worker.death = Killed(kLimit / 100 * percent);
    worker.death.loss = {};
    EXPECT_EQ(JudgeWorker(worker).out_of_memory, percent == 96);
    EXPECT_FALSE(JudgeWorker(worker).unknown);
    worker.death.sample_age_ms = 1'000;
    EXPECT_FALSE(JudgeWorker(worker).unknown) << "its executor looks at what the container uses at every tick";
  }
}

// While a collection stops the JVM nobody tells of what grows.
TEST(UnsaidEnd, ASampleProvesNothingOnceItsRoomMayHaveBeenFilled) {
  DeathEvidence evidence = Killed(kLimit / 100 * 80);
  EXPECT_FALSE(Judge(evidence).unknown);
  for (const int64_t age_ms : {150, 250, 30'000}) {
    evidence.sample_age_ms = age_ms;
    EXPECT_EQ(Judge(evidence).unknown, age_ms > 200) << age_ms << ": 200 MB were free";
    EXPECT_FALSE(Judge(evidence).out_of_memory);
  }
  EXPECT_THAT(
      Judge(evidence).how,
      HasSubstr(
          "80 % of the limit in use at the last sample, 30.0 s before its end; 190.7 MiB were free then, and may have been filled since"));
  evidence.kernel_kills = 0;
  EXPECT_FALSE(Judge(evidence).unknown) << "the kernel killed nothing there";
  evidence.kernel_kills.reset();
  evidence.used_bytes = kLimit / 100 * 20;
  evidence.sample_age_ms = 700;
  EXPECT_FALSE(Judge(evidence).unknown);
  evidence.limit_bytes = 100 * kLimit;
  evidence.sample_age_ms = 59'000;
  EXPECT_FALSE(Judge(evidence).unknown) << "a container that nobody fills in a minute";
}

// Another process of the same cgroup ends first, and the executor's Worker with it.
TEST(UnsaidEnd, ASigtermRightAfterAKillOfTheKernelsMayBeSystemds) {
  DeathEvidence evidence = Killed(kLimit / 100 * 80);
  evidence.loss = ParseLossReason("Command exited with code 143");
  EXPECT_FALSE(Judge(evidence).unknown);
  evidence.kills_just_before = 1;
  EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).out_of_memory);
  EXPECT_THAT(Judge(evidence).how,
              HasSubstr("right after the kernel had killed 1 Python process there: systemd, for one, ends a whole service then"));
}

// However full it was: it may live, behind a pause or a broken connection.
TEST(UnsaidEnd, SilenceIsNoDeathByMemory) {
  for (const uint64_t used : {kLimit / 3, kLimit / 100 * 97}) {
    DeathEvidence evidence = Killed(used);
    evidence.loss = ParseLossReason("Executor heartbeat timed out after 126021 ms");
    EXPECT_FALSE(Judge(evidence).out_of_memory);
    EXPECT_TRUE(Judge(evidence).unknown);
    EXPECT_THAT(Judge(evidence).how, HasSubstr("broken connection"));
    evidence.sample_age_ms = 126'021;
    EXPECT_TRUE(Judge(evidence).unknown);
    EXPECT_THAT(Judge(evidence).how, HasSubstr("broken connection")) << "which is why the sample is old";
    evidence.kernel_kills = 0;
    EXPECT_TRUE(Judge(evidence).unknown) << "nobody was killed: it may live";
    evidence.kernel_kills = 1;
    EXPECT_TRUE(Judge(evidence).out_of_memory) << "the kernel's word stands above";
  }
}

constexpr const char* kLostNode =
    "Container marked as failed: c_1 on host: node7. Exit status: -100. Diagnostics: Container released on a *lost* node";

TEST(UnsaidEnd, ALostNodeIsNoDeathByMemory) {
  for (const char* text : {"worker lost", kLostNode}) {
    DeathEvidence evidence = Killed(kLimit / 100 * 97);
    evidence.loss = ParseLossReason(text);
    EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).out_of_memory) << text;
    EXPECT_THAT(Judge(evidence).how, HasSubstr("no exit code, with 97 % of the limit in use at the last sample; nobody has heard from it"));
    evidence.used_bytes = kLimit / 3;
    EXPECT_TRUE(Judge(evidence).unknown) << text;
  }
}

// A Worker that crashes takes its executors with it: WorkerWatcher ends them.
TEST(UnsaidEnd, AnExecutorThatWasLostWithItsWorkerDiedOfMemoryOnlyIfItsContainerHadJustFilled) {
  struct Case {
    uint64_t percent;
    bool rose, of_memory;
  };
  for (const Case& each : {Case{33, false, false}, Case{88, true, false}, Case{97, false, false}, Case{93, true, true}}) {
    DeathEvidence evidence = Killed(kLimit / 100 * each.percent);
    evidence.loss = ParseLossReason("worker lost: 10.0.0.7:34581 got disassociated");
    evidence.rose_lately = each.rose;
    const Verdict verdict = Judge(evidence);
    EXPECT_EQ(verdict.out_of_memory, each.of_memory) << each.percent;
    EXPECT_EQ(verdict.unknown, !each.of_memory) << each.percent;
    EXPECT_EQ(verdict.with_worker, !each.of_memory) << each.percent;
    EXPECT_THAT(verdict.how, HasSubstr("; its standalone Worker is gone, "));
    DeathEvidence of_worker = evidence;
    of_worker.worker_took_too = "2";
    EXPECT_TRUE(Judge(of_worker).unknown && !Judge(of_worker).out_of_memory) << "what filled this one's container left that one alone";
    EXPECT_THAT(Judge(of_worker).how, HasSubstr("; executor 2 of the same Worker was lost with it, far from any limit; its standalone"));
    DeathEvidence on_host = evidence;
    on_host.limit_is_hosts = true;
    EXPECT_TRUE(Judge(on_host).unknown && !Judge(on_host).out_of_memory) << "the kernel takes one process, not its Worker, too";
    evidence.kernel_kills = 0;
    EXPECT_TRUE(Judge(evidence).unknown && !Judge(evidence).maybe_of_memory) << each.percent;
    evidence.kernel_kills = 1;
    EXPECT_TRUE(Judge(evidence).out_of_memory) << "in a pod of their own both are killed together";
  }
}

TEST(UnsaidEnd, AnOldSampleProvesNothing) {
  for (const uint64_t used : {kLimit / 3, kLimit / 100 * 97}) {
    DeathEvidence evidence = Killed(used);
    evidence.limit_bytes = 1000 * kLimit;  // nobody fills it in a minute
    evidence.used_bytes = 1000 * used;
    evidence.sample_age_ms = kStaleSampleMs - 1;
    EXPECT_FALSE(Judge(evidence).unknown);
    evidence.sample_age_ms = 2 * 3'600'000;
    EXPECT_FALSE(Judge(evidence).out_of_memory);
    EXPECT_TRUE(Judge(evidence).unknown);
    EXPECT_THAT(Judge(evidence).how, HasSubstr("which was 2"));
    evidence.kills_of_any_time = true;
    EXPECT_THAT(Judge(evidence).how, HasSubstr(" old; the kernel killed something in its cgroup for want of memory, then or at another"));
  }
}

// YARN without cgroups: its NodeManager gives status -104 and words for an executor that it ends for its memory.
DeathEvidence NearYarnsLimit() {
  DeathEvidence evidence = Killed(kLimit / 100 * 97);
  evidence.limit_is_yarns = true;
  evidence.host_memory_bytes = 10 * kLimit;
  evidence.host_available_bytes = 5 * kLimit;
  return evidence;
}

TEST(UnsaidEnd, WhatYarnDidNotSayItDidNotDo) {
  DeathEvidence evidence = NearYarnsLimit();
  EXPECT_TRUE(Judge(evidence).unknown && Judge(evidence).maybe_of_memory && !Judge(evidence).out_of_memory);
  EXPECT_STREQ(Judge(evidence).not_by, "YARN, which would say so");
  EXPECT_THAT(Judge(evidence).how,
              HasSubstr("97 % of the limit in use at the last sample; where YARN's NodeManager ends a container for that "
                        "limit, it says so, and it did not"));
  evidence.kills_itself_on_out_of_memory = true;
  evidence.heap_used_bytes = 30;
  evidence.heap_max_bytes = 100;
  EXPECT_TRUE(Judge(evidence).maybe_of_memory && !Judge(evidence).maybe_of_heap) << "its heap had room";
  evidence.kernel_kills = 0;
  evidence.counted_on_host = true;
  EXPECT_TRUE(Judge(evidence).maybe_of_memory);
  EXPECT_STREQ(Judge(evidence).not_by, "the kernel, nor by YARN, which would say so");
  EXPECT_THAT(Judge(evidence).how, HasSubstr("but the host's own killer"));
  evidence = NearYarnsLimit();
  evidence.used_bytes = kLimit / 2;
  EXPECT_FALSE(Judge(evidence).unknown || Judge(evidence).out_of_memory);
  evidence = NearYarnsLimit();
  evidence.loss.exit_code.reset();
  evidence.seen_gone = true;
  EXPECT_TRUE(Judge(evidence).out_of_memory) << "its words may not have come";
}

TEST(UnsaidEnd, WhatTheKernelKilledOnTheHostMayHaveBeenIt) {
  DeathEvidence evidence = NearYarnsLimit();
  evidence.host_kills_rose = true;
  EXPECT_TRUE(Judge(evidence).unknown && Judge(evidence).maybe_of_memory) << "the host had room: another group's, perhaps";
  EXPECT_THAT(Judge(evidence).how, HasSubstr("the kernel killed something on its host meanwhile"));
  for (const std::optional<uint64_t> available : {std::optional(kLimit), std::optional<uint64_t>()}) {
    evidence.host_available_bytes = available;
    EXPECT_TRUE(Judge(evidence).out_of_memory && Judge(evidence).of_host);
  }
}

// No group has that limit, so the kernel can only have killed for the host.
TEST(UnsaidEnd, TheKernelKnowsNothingOfWhatYarnGranted) {
  DeathEvidence evidence = NearYarnsLimit();
  evidence.kernel_kills = 1;
  evidence.host_available_bytes = kLimit / 5;
  EXPECT_TRUE(Judge(evidence).out_of_memory && Judge(evidence).of_host);
  WorkerEvidence worker;
  worker.death = evidence;
  worker.death.loss = {};
  EXPECT_TRUE(JudgeWorker(worker).of_host);
  evidence.host_memory_bytes = kLimit + kLimit / 2;
  evidence.host_available_bytes = 0;
  EXPECT_FALSE(Judge(evidence).of_host) << "it had most of the host itself";
  evidence = NearYarnsLimit();
  evidence.limit_is_yarns = false;
  evidence.kernel_kills = 1;
  evidence.host_available_bytes = kLimit / 5;
  EXPECT_FALSE(Judge(evidence).of_host) << "a group's limit";
}

// Elastic control of memory kills a container of a full group without a word.
TEST(UnsaidEnd, OfAFullGroupYarnMayEndOneWithoutAWord) {
  DeathEvidence evidence = NearYarnsLimit();
  evidence.host_is_group = true;
  EXPECT_TRUE(Judge(evidence).unknown);
  evidence.host_available_bytes = kLimit;
  EXPECT_TRUE(Judge(evidence).out_of_memory);
  evidence.kernel_kills = 0;
  EXPECT_STREQ(Judge(evidence).maybe_by, "the cluster manager, earlyoom or systemd-oomd");
}

}  // namespace
}  // namespace memprof
