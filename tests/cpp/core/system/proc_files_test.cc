#include "system/proc_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <future>
#include <thread>

#include "core/system/file_tree.h"

namespace memprof {
namespace {

TEST(ProcFiles, ReadsTheRowsOfStatusInBytes) {
  FileTree tree;
  tree.Write("41/status",
             "Name:\tpython3\nPPid:\t40\nVmHWM:\t  5003 kB\nVmRSS:\t  4001 kB\nRssAnon:\t 3001 kB\nRssFile:\t 999 kB\nRssShmem:\t 1 kB\n"
             "VmSwap:\t 77 kB\n");
  const Result<ProcessStatus> status = ProcFiles(tree.root()).ReadStatus(41);
  ASSERT_TRUE(status.ok()) << status.status().message();
  EXPECT_EQ(status->parent, 40);
  EXPECT_EQ(status->rss_bytes, 4001u * 1024);
  EXPECT_EQ(status->rss_anon_bytes, 3001u * 1024);
  EXPECT_EQ(status->rss_file_bytes, 999u * 1024);
  EXPECT_EQ(status->rss_shmem_bytes, 1024u);
  EXPECT_EQ(status->rss_peak_bytes, 5003u * 1024);
  EXPECT_EQ(status->swap_bytes, 77u * 1024);
}

TEST(ProcFiles, TheHostsSwap) {
  FileTree tree;
  tree.Write("meminfo", "MemTotal: 16 kB\nSwapCached: 5 kB\nSwapTotal: 4000 kB\nSwapFree: 1500 kB\n");
  const std::optional<HostSwap> swap = ProcFiles(tree.root()).ReadHostRoom().swap;
  ASSERT_TRUE(swap);
  EXPECT_EQ(swap->bytes, 4000u * 1024);
  EXPECT_EQ(swap->free_bytes, 1500u * 1024);
  EXPECT_FALSE(ProcFiles("/nowhere").ReadHostRoom().swap);
}

TEST(ProcFiles, WhatTheKernelHasKilledOnTheHost) {
  FileTree tree;
  tree.Write("vmstat", "nr_free_pages 12\noom_kill_disable 3\noom_kill 41\nswap_ra 0\n");
  tree.Write("sys/kernel/random/boot_id", "6c1b5f0e-5d0c-4f0a-8a57-3d4d3d1f8c11\n");
  EXPECT_EQ(ProcFiles(tree.root()).HostOomKills(), 41u);
  EXPECT_EQ(ProcFiles(tree.root()).BootId(), "6c1b5f0e-5d0c-4f0a-8a57-3d4d3d1f8c11");
  FileTree old;
  old.Write("vmstat", "nr_free_pages 12\n");
  EXPECT_EQ(ProcFiles(old.root()).HostOomKills(), std::nullopt) << "Linux before 4.13";
  EXPECT_EQ(ProcFiles(old.root()).BootId(), "");
}

TEST(ProcFiles, AZombieHasNoMemory) {
  FileTree tree;
  tree.Write("41/status", "Name:\tpython3\nState:\tZ (zombie)\nPPid:\t40\n");
  EXPECT_EQ(ProcFiles(tree.root()).ReadStatus(41).status().code(), ErrorCode::kNotFound);
}

TEST(ProcFiles, StartTimeStandsBehindACommandWithBlanksAndParentheses) {
  FileTree tree;
  tree.Write("41/stat", "41 (odd ) name) S 40 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 8675309 100 200\n");
  const Result<uint64_t> ticks = ProcFiles(tree.root()).ReadStartTicks(41);
  ASSERT_TRUE(ticks.ok());
  EXPECT_EQ(*ticks, 8675309u);
}

TEST(ProcFiles, CommandLineKeepsEmptyWords) {
  FileTree tree;
  tree.Write("41/cmdline", std::string("python3\0-m\0\0pyspark.daemon\0", 26));
  const auto words = ProcFiles(tree.root()).ReadCommandLine(41);
  ASSERT_TRUE(words.ok());
  EXPECT_THAT(*words, testing::ElementsAre("python3", "-m", "", "pyspark.daemon"));
}

TEST(ProcFiles, ChildrenOfEveryThread) {
  FileTree tree;
  tree.Write("41/task/41/children", "50 51 ");
  tree.Write("41/task/42/children", "");
  tree.Write("41/task/43/children", "52 ");
  EXPECT_THAT(ProcFiles(tree.root()).Children(41), testing::UnorderedElementsAre(50, 51, 52));
}

TEST(ProcFiles, ChildrenAreLookedForWhereTheKernelDoesNotListThem) {
  FileTree tree;
  tree.Write("41/task/41/stat", "");
  tree.Write("50/stat", "50 (python3) S 41 1 1\n");
  tree.Write("60/stat", "60 (python3) S 50 1 1\n");
  EXPECT_THAT(ProcFiles(tree.root()).Children(41), testing::ElementsAre(50));
}

TEST(ProcFiles, AllProcessesAreLookedThroughIfTheyAreNotTooMany) {
  FileTree tree;
  for (int pid = 60; pid < 100; ++pid) tree.Write(std::to_string(pid) + "/stat", pid == 70 ? "70 (python3) S 41 1 1\n" : "9 (a) S 1 1 1\n");
  EXPECT_THAT(ProcFiles(tree.root()).ChildrenByScan(41, 40), testing::Optional(testing::ElementsAre(70)));
  EXPECT_EQ(ProcFiles(tree.root()).ChildrenByScan(41, 39), std::nullopt);
  EXPECT_THAT(ProcFiles().ChildrenByScan(getppid(), SIZE_MAX), testing::Optional(testing::Contains(getpid())));
}

TEST(ProcFiles, CountsThreads) {
  const size_t before = ProcFiles().Threads(getpid());
  ASSERT_GE(before, 1u);
  std::promise<void> over;
  std::thread thread([&over] { over.get_future().wait(); });
  EXPECT_EQ(ProcFiles().Threads(getpid()), before + 1);
  over.set_value();
  thread.join();
  EXPECT_EQ(ProcFiles().Threads(0), 0u) << "there is none";
}

TEST(ProcFiles, SeesRealMemoryOfARealProcess) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer's shadow is resident memory, too: four times what is touched";
#endif
  constexpr size_t kBytes = 67'108'864;
  const ProcFiles proc;
  const pid_t self = getpid();
  const uint64_t before = *proc.ReadRss(self);
  void* block = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(block, 1, kBytes);
  const ProcessStatus status = *proc.ReadStatus(self);
  EXPECT_NEAR(static_cast<double>(*proc.ReadRss(self) - before), kBytes, 2e6);
  const ProcessPss pss = *proc.ReadPss(self);
  EXPECT_GE(pss.bytes, kBytes);
  EXPECT_GT(pss.rss_bytes, pss.bytes) << "the C library is in other processes, too";
  EXPECT_NEAR(static_cast<double>(pss.rss_bytes), static_cast<double>(status.rss_bytes), 2e6);
  EXPECT_EQ(status.rss_anon_bytes + status.rss_file_bytes + status.rss_shmem_bytes, status.rss_bytes);
  EXPECT_GE(status.rss_peak_bytes, kBytes);
  EXPECT_EQ(status.parent, getppid());
  munmap(block, kBytes);
}

TEST(ProcFiles, SeesARealChild) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  EXPECT_THAT(ProcFiles().Children(getpid()), testing::Contains(child));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(ProcFiles().ReadRss(child).ok());
}

}  // namespace
}  // namespace memprof
