#include "system/memory_cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "core/system/file_tree.h"

namespace memprof {
namespace {

constexpr uint64_t kHost = 16'000'000'000;
constexpr const char* kNone = "9223372036854771712\n";

class Tree {
 public:
  Tree() { roots_ = {files_.Path("proc"), files_.root()}; }

  void Mounts(const std::string& lines) { files_.Write("proc/self/mountinfo", "22 1 0:20 / /proc rw - proc proc rw\n" + lines); }
  void Groups(const std::string& lines) { files_.Write("proc/self/cgroup", lines); }
  void V1(const std::string& folder, const std::string& limit, uint64_t hierarchical, uint64_t usage, uint64_t cache) {
    files_.Write(folder + "/memory.limit_in_bytes", limit);
    files_.Write(folder + "/memory.usage_in_bytes", std::to_string(usage) + "\n");
    files_.Write(folder + "/memory.stat", "cache 1\ninactive_file 7\nhierarchical_memory_limit " + std::to_string(hierarchical) +
                                              "\ntotal_cache 2\ntotal_inactive_file " + std::to_string(cache / 2) + "\ntotal_active_file " +
                                              std::to_string(cache - cache / 2) + "\n");
    files_.Write(folder + "/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  }
  void V2(const std::string& folder, const std::string& max, uint64_t current, uint64_t cache, uint64_t slab_reclaimable = 0) {
    files_.Write(folder + "/memory.max", max);
    files_.Write(folder + "/memory.current", std::to_string(current) + "\n");
    files_.Write(folder + "/memory.stat", "anon 1\ninactive_anon 5\ninactive_file " + std::to_string(cache / 2) + "\nactive_file " +
                                              std::to_string(cache - cache / 2) + "\nslab_reclaimable " + std::to_string(slab_reclaimable) +
                                              "\nslab_unreclaimable 77000000\n");
    files_.Write(folder + "/memory.events", "low 0\nmax 0\noom 2\noom_kill 2\noom_group_kill 0\n");
  }
  void Write(const std::string& path, const std::string& text) { files_.Write(path, text); }
  std::unique_ptr<MemoryCgroup> Find() {
    Result<std::unique_ptr<MemoryCgroup>> found = FindMemoryCgroup(roots_);
    return found.ok() ? std::move(*found) : nullptr;
  }
  ErrorCode WhyNone() { return FindMemoryCgroup(roots_).status().code(); }
  std::string WhyUnseen() { return WhyALimitMayBeUnseen(FindMemoryCgroup(roots_)); }
  std::string Path(const std::string& path) { return files_.Path(path); }

 private:
  FileTree files_;
  CgroupRoots roots_;
};

constexpr const char* kV1Mount = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
constexpr const char* kV2Mount = "35 31 0:32 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(MemoryCgroup, Version1ChildWithoutALimitHasItsParents) {
  Tree tree;
  tree.Mounts(kV1Mount);
  tree.Groups("5:devices:/x\n4:memory:/yarn/container_1\n0::/\n");
  tree.V1("sys/fs/cgroup/memory/yarn/container_1", kNone, 1'100'000'003, 500'000'000, 10'000'000);
  tree.V1("sys/fs/cgroup/memory/yarn", "1100000003\n", 1'100'000'003, 900'000'000, 33'000'000);
  tree.V1("sys/fs/cgroup/memory", kNone, 9223372036854771712u, 5'000'000'000, 1);
  const auto group = tree.Find();
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->Limit(kHost), 1'100'000'003u);
  EXPECT_EQ(group->path(), tree.Path("sys/fs/cgroup/memory/yarn"));  // its use is what the limit is held against
  EXPECT_THAT(group->KillCounter(), testing::StartsWith(tree.Path("sys/fs/cgroup/memory/yarn/container_1 ")));
  EXPECT_EQ(group->Read()->used_bytes(), 900'000'000u - 33'000'000);
  EXPECT_EQ(group->OomKills(), 3u);
}

TEST(MemoryCgroup, Version1CountsKillsInGroupsInsideOurs) {
  Tree tree;
  tree.Mounts(kV1Mount);
  tree.Groups("4:memory:/yarn\n");
  tree.V1("sys/fs/cgroup/memory/yarn", "1100000003\n", 1'100'000'003, 900'000'000, 33'000'000);
  tree.V1("sys/fs/cgroup/memory/yarn/inner/most", kNone, 1'100'000'003, 1, 0);
  EXPECT_EQ(tree.Find()->OomKills(), 6u) << "3 in each that has the file";
}

TEST(MemoryCgroup, Version2CountsKillsInItsOwnGroupWhicheverLimits) {
  Tree tree;
  tree.Mounts(kV2Mount);
  tree.Groups("0::/pod/executor\n");
  tree.V2("sys/fs/cgroup/pod/executor", "max\n", 400'000'000, 1'000'000);
  tree.V2("sys/fs/cgroup/pod", "999999937\n", 800'000'000, 300'000'000);
  tree.Write("sys/fs/cgroup/pod/memory.events", "oom 9\noom_kill 7\n");
  EXPECT_EQ(tree.Find()->OomKills(), 2u) << "the other five are of groups beside it";
}

TEST(MemoryCgroup, AFreshGroupOfTheSamePathIsAnother) {
  Tree tree;
  tree.Mounts(kV2Mount);
  tree.Groups("0::/pod\n");
  tree.Write("proc/sys/kernel/random/boot_id", "0b9c\n");
  tree.V2("sys/fs/cgroup/pod", "999999937\n", 800'000'000, 0);
  const std::string before = tree.Find()->KillCounter();
  EXPECT_EQ(tree.Find()->KillCounter(), before);
  EXPECT_THAT(before, testing::EndsWith(" 0b9c"));
  ASSERT_EQ(rename(tree.Path("sys/fs/cgroup/pod").c_str(), tree.Path("sys/fs/cgroup/old").c_str()), 0);
  tree.V2("sys/fs/cgroup/pod", "999999937\n", 800'000'000, 0);
  const std::string after = tree.Find()->KillCounter();
  EXPECT_NE(after, before);
  tree.Write("proc/sys/kernel/random/boot_id", "77e1\n");
  EXPECT_NE(tree.Find()->KillCounter(), after);
}

TEST(MemoryCgroup, Version1WithoutAnyLimit) {
  Tree tree;
  tree.Mounts(kV1Mount);
  tree.Groups("4:memory:/user\n");
  tree.V1("sys/fs/cgroup/memory/user", kNone, 9223372036854771712u, 500, 100);
  tree.V1("sys/fs/cgroup/memory", kNone, 9223372036854771712u, 900, 100);
  const auto group = tree.Find();
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->Limit(kHost), std::nullopt);
  EXPECT_EQ(group->Read()->used_bytes(), 400u);
}

TEST(MemoryCgroup, ALimitAbovePhysicalMemoryIsNone) {
  Tree tree;
  tree.Mounts(kV1Mount);
  tree.Groups("4:memory:/\n");
  tree.V1("sys/fs/cgroup/memory", "32000000000\n", 32'000'000'000, 500, 100);
  EXPECT_EQ(tree.Find()->Limit(kHost), std::nullopt);
  EXPECT_EQ(tree.Find()->Limit(64'000'000'000), 32'000'000'000u);
}

// lxcfs: /proc/meminfo shows a container its limit as all memory that there is.
TEST(MemoryCgroup, ALimitOfAllMemoryThatIsSeenIsOne) {
  Tree first, second;
  first.Mounts(kV1Mount);
  first.Groups("4:memory:/\n");
  first.V1("sys/fs/cgroup/memory", "4096000000\n", 4'096'000'000, 500, 100);
  EXPECT_EQ(first.Find()->Limit(4'096'000'000), 4'096'000'000u);
  second.Mounts(kV2Mount);
  second.Groups("0::/lxc\n");
  second.V2("sys/fs/cgroup/lxc", "4096000000\n", 500, 100);
  EXPECT_EQ(second.Find()->Limit(4'096'000'000), 4'096'000'000u);
  EXPECT_EQ(second.Find()->Limit(4'095'999'999), std::nullopt);
  second.V2("sys/fs/cgroup/lxc", "max\n", 500, 100);
  EXPECT_EQ(second.Find()->Limit(4'096'000'000), std::nullopt);
}

TEST(MemoryCgroup, WhatTheLimitingGroupMayStillSwap) {
  Tree first, second;
  first.Mounts(kV1Mount);
  first.Groups("4:memory:/\n");
  const std::string group = "sys/fs/cgroup/memory/";
  first.V1("sys/fs/cgroup/memory", "1000\n", 1000, 900, 100);
  EXPECT_EQ(first.Find()->SwapLeft(), std::nullopt) << "the kernel doesn't count swap";
  first.Write(group + "memory.memsw.limit_in_bytes", "1700\n");
  first.Write(group + "memory.memsw.usage_in_bytes", "1100\n");
  EXPECT_EQ(first.Find()->SwapLeft(), 500u) << "700 allowed, 200 used";
  first.Write(group + "memory.swappiness", "0\n");
  EXPECT_EQ(first.Find()->SwapLeft(), 0u) << "it may, but doesn't";
  first.Write(group + "memory.swappiness", "60\n");
  first.Write(group + "memory.memsw.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(first.Find()->SwapLeft(), std::nullopt);
  second.Mounts(kV2Mount);
  second.Groups("0::/pod\n");
  second.V2("sys/fs/cgroup/pod", "1000\n", 900, 100);
  second.Write("sys/fs/cgroup/pod/memory.swap.max", "700\n");
  second.Write("sys/fs/cgroup/pod/memory.swap.current", "200\n");
  EXPECT_EQ(second.Find()->SwapLeft(), 500u);
  second.Write("sys/fs/cgroup/pod/memory.swap.max", "max\n");
  EXPECT_EQ(second.Find()->SwapLeft(), std::nullopt);
  second.Write("sys/fs/cgroup/pod/memory.swap.max", "0\n");
  EXPECT_EQ(second.Find()->SwapLeft(), 0u);
  second.Write("sys/fs/cgroup/pod/memory.swap.max", "700\n");
  second.Write("proc/sys/vm/swappiness", "0\n");
  EXPECT_EQ(second.Find()->SwapLeft(), 0u) << "it may, but doesn't";
}

TEST(MemoryCgroup, InAContainerThePathOfTheHostIsNotVisible) {
  Tree tree;
  tree.Mounts("35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  tree.Groups("4:memory:/docker/abc\n");
  tree.V1("sys/fs/cgroup/memory", "700000001\n", 700'000'001, 600, 100);
  EXPECT_EQ(tree.Find()->Limit(kHost), 700'000'001u);
}

TEST(MemoryCgroup, APathThatIsNotMountedFallsBackToTheMountPoint) {
  Tree tree;
  tree.Mounts(kV1Mount);
  tree.Groups("4:memory:/kubepods/pod1/abc\n");
  tree.V1("sys/fs/cgroup/memory", "700000001\n", 700'000'001, 600, 100);
  EXPECT_EQ(tree.Find()->Limit(kHost), 700'000'001u);
}

TEST(MemoryCgroup, Version2TakesTheSmallestOnThePath) {
  Tree tree;
  tree.Mounts(kV2Mount);
  tree.Groups("0::/pod/executor\n");
  tree.V2("sys/fs/cgroup/pod/executor", "max\n", 400'000'000, 1'000'000);
  tree.V2("sys/fs/cgroup/pod", "999999937\n", 800'000'000, 300'000'000);
  const auto group = tree.Find();
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->Limit(kHost), 999'999'937u);
  EXPECT_EQ(group->path(), tree.Path("sys/fs/cgroup/pod"));
  EXPECT_THAT(group->KillCounter(), testing::StartsWith(tree.Path("sys/fs/cgroup/pod/executor ")));
  EXPECT_EQ(group->Read()->used_bytes(), 500'000'000u);  // nearly all of it is page cache: healthy
  tree.V2("sys/fs/cgroup/pod", "999999937\n", 990'000'000, 300'000'000, 190'000'000);
  EXPECT_EQ(group->Read()->used_bytes(), 500'000'000u) << "caches of names and inodes, which the kernel drops, too";
  EXPECT_EQ(group->OomKills(), 2u);
}

TEST(MemoryCgroup, Version2RootHasNoMemoryFiles) {
  Tree tree;
  tree.Mounts(kV2Mount);
  tree.Groups("0::/\n");
  EXPECT_EQ(tree.Find(), nullptr);
}

TEST(MemoryCgroup, WhereBothAreMountedTheOneWithTheControllerCounts) {
  Tree tree;
  tree.Mounts(std::string("34 31 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n") + kV1Mount);
  tree.Groups("4:memory:/a\n0::/a\n");
  tree.Write("sys/fs/cgroup/unified/a/cgroup.procs", "1\n");
  tree.V1("sys/fs/cgroup/memory/a", "800000011\n", 800'000'011, 600, 100);
  EXPECT_EQ(tree.Find()->Limit(kHost), 800'000'011u);
}

TEST(MemoryCgroup, MembersOfBothGroupsOnce) {
  Tree tree;
  tree.Mounts(kV2Mount);
  tree.Groups("0::/pod/executor\n");
  tree.V2("sys/fs/cgroup/pod/executor", "max\n", 1, 0);
  tree.V2("sys/fs/cgroup/pod", "999999937\n", 1, 0);
  tree.Write("sys/fs/cgroup/pod/executor/cgroup.procs", "12\n11\n");
  tree.Write("sys/fs/cgroup/pod/cgroup.procs", "12\n13\n");
  EXPECT_THAT(tree.Find()->Processes(), testing::ElementsAre(11, 12, 13));
}

TEST(MemoryCgroup, MembersOfGroupsBesideOursUnderTheSameLimit) {
  Tree tree;
  tree.Mounts(kV2Mount);
  tree.Groups("0::/node/one\n");
  tree.V2("sys/fs/cgroup/node/one", "max\n", 1, 0);
  tree.V2("sys/fs/cgroup/node", "999999937\n", 1, 0);
  tree.Write("sys/fs/cgroup/node/one/cgroup.procs", "11\n");
  tree.Write("sys/fs/cgroup/node/other/inner/cgroup.procs", "13\n");
  tree.Write("sys/fs/cgroup/elsewhere/cgroup.procs", "17\n");
  EXPECT_THAT(tree.Find()->Processes(), testing::ElementsAre(11, 13));
}

TEST(MemoryCgroup, AGroupThatMemoryIsNotDelegatedToIsCountedInTheOneAroundIt) {
  Tree tree;
  tree.Mounts(kV2Mount);
  tree.Groups("0::/pod/executor/inner\n");
  tree.Write("sys/fs/cgroup/pod/executor/inner/cgroup.procs", "11\n");
  tree.V2("sys/fs/cgroup/pod/executor", "max\n", 400'000'000, 0);
  tree.V2("sys/fs/cgroup/pod", "999999937\n", 800'000'000, 300'000'000);
  const auto group = tree.Find();
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->Limit(kHost), 999'999'937u);
  EXPECT_THAT(group->Processes(), testing::ElementsAre(11));
  EXPECT_EQ(group->OomKills(), std::nullopt) << "of groups beside it, too";
  EXPECT_EQ(group->KillCounter(), "");
}

TEST(MemoryCgroup, Version2SeesEveryLimitOnlyWhereItSeesTheRoot) {
  for (const bool in_namespace : {false, true}) {
    Tree tree;
    tree.Mounts(kV2Mount);
    tree.Groups("0::/pod\n");
    tree.Write("sys/fs/cgroup/cgroup.procs", "1\n");
    if (in_namespace) tree.Write("sys/fs/cgroup/cgroup.events", "populated 1\n");
    tree.V2("sys/fs/cgroup/pod", "max\n", 400'000'000, 0);
    EXPECT_EQ(tree.WhyUnseen().empty(), !in_namespace);
  }
}

TEST(MemoryCgroup, WhereTheHostsMemoryIsNotKnownALimitIsOne) {
  Tree first, second;
  first.Mounts(kV1Mount);
  first.Groups("4:memory:/yarn\n");
  first.V1("sys/fs/cgroup/memory/yarn", "1100000003\n", 1'100'000'003, 1, 0);
  EXPECT_EQ(first.Find()->Limit(0), 1'100'000'003u);
  first.V1("sys/fs/cgroup/memory/yarn", kNone, 9223372036854771712u, 1, 0);
  EXPECT_EQ(first.Find()->Limit(0), std::nullopt);
  second.Mounts(kV2Mount);
  second.Groups("0::/pod\n");
  second.V2("sys/fs/cgroup/pod", "999999937\n", 1, 0);
  EXPECT_EQ(second.Find()->Limit(0), 999'999'937u);
}

TEST(MemoryCgroup, AHostMayHaveNone) {
  Tree root;
  root.Mounts(kV2Mount);
  root.Groups("0::/\n");
  root.Write("sys/fs/cgroup/cgroup.procs", "1\n");
  EXPECT_EQ(root.WhyNone(), ErrorCode::kNotFound) << "the root group";
  EXPECT_EQ(root.WhyUnseen(), "");
  Tree user;
  user.Mounts(kV2Mount);
  user.Groups("0::/user.slice\n");
  user.Write("sys/fs/cgroup/cgroup.procs", "1\n");
  user.Write("sys/fs/cgroup/user.slice/cgroup.events", "populated 1\n");
  EXPECT_EQ(user.WhyNone(), ErrorCode::kNotFound) << "memory is delegated to no group on the path, and all of it can be seen";
  Tree without;
  without.Mounts("");
  EXPECT_EQ(without.WhyNone(), ErrorCode::kNotFound) << "a kernel without control groups";
  Tree off;
  off.Mounts("");
  off.Groups("0::/\n");
  off.Write("proc/cgroups", "#subsys_name hierarchy num_cgroups enabled\ncpu 0 80 1\nmemory 0 80 0\n");
  EXPECT_EQ(off.WhyNone(), ErrorCode::kNotFound) << "cgroup_disable=memory";
  off.Write("proc/cgroups", "#subsys_name hierarchy num_cgroups enabled\ncpu 0 80 1\nmemory 0 80 1\n");
  EXPECT_EQ(off.WhyNone(), ErrorCode::kIo);
}

TEST(MemoryCgroup, WhetherThereIsOneMayNotBeSeen) {
  Tree nothing;
  EXPECT_EQ(nothing.WhyNone(), ErrorCode::kIo) << "no /proc";
  EXPECT_NE(nothing.WhyUnseen(), "");
  Tree unmounted;
  unmounted.Mounts("");
  unmounted.Groups("0::/\n");
  EXPECT_EQ(unmounted.WhyNone(), ErrorCode::kIo) << "nothing is mounted";
  Tree other;
  other.Mounts(kV2Mount);
  other.Groups("4:memory:/yarn\n0::/\n");
  EXPECT_EQ(other.WhyNone(), ErrorCode::kIo) << "only the other version's are mounted";
  Tree within;
  within.Mounts(kV2Mount);
  within.Groups("0::/\n");
  within.Write("sys/fs/cgroup/cgroup.events", "populated 1\n");
  EXPECT_EQ(within.WhyNone(), ErrorCode::kIo) << "the root of a namespace, inside a group that may have a limit";
  Tree vanished;
  vanished.Mounts(kV2Mount);
  vanished.Groups("0::/pod\n");
  vanished.Write("sys/fs/cgroup/cgroup.procs", "1\n");
  EXPECT_EQ(vanished.WhyNone(), ErrorCode::kIo) << "its folder can't be seen";
  Tree covered;
  covered.Mounts(kV2Mount);
  covered.Groups("0::/\n");
  covered.Write("sys/fs/cgroup/other", "");
  EXPECT_EQ(covered.WhyNone(), ErrorCode::kIo) << "something else is mounted over them";
  Tree root;
  root.Mounts(kV1Mount);
  root.Groups("4:memory:/private/inner\n");
  root.V1("sys/fs/cgroup/memory", kNone, 9223372036854771712u, 5'000'000'000, 1);
  root.Write("sys/fs/cgroup/memory/cgroup.procs", "1\n");
  root.Write("sys/fs/cgroup/memory/release_agent", "");
  EXPECT_EQ(root.WhyNone(), ErrorCode::kIo) << "the host's root group is not ours";
  Tree outside;
  outside.Mounts(kV2Mount);
  outside.Groups("0::/../beside\n");
  outside.V2("sys/fs/cgroup", "999999937\n", 1, 0);
  EXPECT_EQ(outside.WhyNone(), ErrorCode::kIo) << "a process outside the namespace of the mount";
}

TEST(MemoryCgroup, TheHostsGroupsMountedIntoAContainerAreNotItsOwn) {
  Tree first;
  first.Mounts("35 31 0:32 /../.. /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  first.Groups("4:memory:/\n");
  first.V1("sys/fs/cgroup/memory", kNone, 9223372036854771712u, 5'000'000'000, 1);
  EXPECT_EQ(first.WhyNone(), ErrorCode::kIo);
  Tree second;
  second.Mounts("35 31 0:32 /../../.. /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
  second.Groups("0::/\n");
  second.V2("sys/fs/cgroup", "max\n", 5'000'000'000, 1);
  EXPECT_EQ(second.WhyNone(), ErrorCode::kIo);
}

// A group of our own in the real hierarchy of version 1, its limit and use as the kernel says them.
class RealGroup {
 public:
  explicit RealGroup(const std::string& mount) : path_(mount + "/sparkmemprof-test-" + std::to_string(getpid())) {
    made_ = mkdir(path_.c_str(), 0755) == 0;
  }
  ~RealGroup() {
    if (made_) rmdir(path_.c_str());
  }
  bool made() const { return made_; }
  bool Write(const char* file, const std::string& text) const {
    FILE* stream = fopen((path_ + "/" + file).c_str(), "w");
    if (stream == nullptr) return false;
    const bool written = fputs(text.c_str(), stream) >= 0;
    return fclose(stream) == 0 && written;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool made_ = false;
};

// A process that has touched 100 MB finds the limit, its use, itself, and no kill.
void LookFromInside(const RealGroup& group, const char* limit_file) {
  constexpr uint64_t kLimit = 419'430'400;
  constexpr size_t kBytes = 104'857'600;
  if (!group.made() || !group.Write(limit_file, std::to_string(kLimit))) {
    GTEST_SKIP() << "cannot make a group with a " << limit_file << " at " << group.path() << ": " << strerror(errno)
                 << " (it takes root and a memory controller of that version)";
  }
  const pid_t child = fork();
  if (child == 0) {
    if (!group.Write("cgroup.procs", std::to_string(getpid()))) _exit(10);
    void* block = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(block, 1, kBytes);
    const Result<std::unique_ptr<MemoryCgroup>> found = FindMemoryCgroup();
    if (!found.ok()) _exit(11);
    if ((*found)->Limit(uint64_t{1} << 40) != kLimit) _exit(12);
    const Result<CgroupUse> use = (*found)->Read();
    if (!use.ok() || use->used_bytes() < kBytes || use->used_bytes() > kBytes + 20'000'000) _exit(13);
    if ((*found)->Processes() != std::vector<int32_t>{getpid()}) _exit(14);
    if ((*found)->OomKills() != 0u) _exit(15);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

TEST(MemoryCgroup, RealGroupOfVersion1) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer's shadow is resident memory, too: four times what is touched";
#endif
  LookFromInside(RealGroup("/sys/fs/cgroup/memory"), "memory.limit_in_bytes");
}

// Where it is skipped, the trees above stand for the kernel: they were written after its documentation (cgroup-v2.rst).
TEST(MemoryCgroup, RealGroupOfVersion2) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer's shadow is resident memory, too: four times what is touched";
#endif
  if (access("/sys/fs/cgroup/cgroup.controllers", F_OK) != 0) {
    GTEST_SKIP() << "no version 2 at /sys/fs/cgroup; trees of files written after the kernel's documentation stand for it";
  }
  LookFromInside(RealGroup("/sys/fs/cgroup"), "memory.max");
}

}  // namespace
}  // namespace memprof
