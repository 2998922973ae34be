#include "watch/kill_counter.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "core/system/file_tree.h"

namespace memprof {
namespace {

// Groups of version 2, in files.
class Groups {
 public:
  Groups() {
    files_.Write("proc/self/mountinfo", "35 31 0:32 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n");
    Group("pod", "999999937\n", 9);
    Group("pod/one", "max\n", 2);
    Group("pod/two", "max\n", 5);
    MoveTo("pod/one");
  }
  void MoveTo(const std::string& group) { files_.Write("proc/self/cgroup", "0::/" + group + "\n"); }
  void Group(const std::string& folder, const std::string& max, uint64_t kills) {
    const std::string at = "sys/fs/cgroup/" + folder;
    files_.Write(at + "/memory.max", max);
    files_.Write(at + "/memory.current", "400000000\n");
    files_.Write(at + "/memory.events", "oom 1\noom_kill " + std::to_string(kills) + "\n");
  }
  std::unique_ptr<MemoryCgroup> Find() {
    Result<std::unique_ptr<MemoryCgroup>> found = FindMemoryCgroup({files_.Path("proc"), files_.root()});
    return std::move(*found);
  }

 private:
  FileTree files_;
};

proto::ExecutorSnapshot Told(const KillCounter& counter, const MemoryCgroup& cgroup) {
  proto::ExecutorSnapshot snapshot;
  counter.AddTo(*cgroup.OomKills(), &snapshot);
  return snapshot;
}

TEST(KillCounter, AnotherLimitOnTheWayUpChangesNothing) {
  Groups groups;
  const auto before = groups.Find();
  KillCounter counter(before.get());
  groups.Group("pod/one", "500000003\n", 3);
  const auto after = groups.Find();
  ASSERT_NE(after->path(), before->path());
  EXPECT_TRUE(counter.IsOf(*after));
  counter.Follow(*after, before->OomKills(), after->OomKills());
  const proto::ExecutorSnapshot told = Told(counter, *after);
  EXPECT_EQ(told.cgroup(), before->KillCounter());
  EXPECT_EQ(told.oom_kills(), 3u);
  EXPECT_EQ(told.oom_kills_at_start(), 2u);
}

TEST(KillCounter, OfAProcessThatWasMovedIsTheNewGroups) {
  Groups groups;
  const auto before = groups.Find();
  KillCounter counter(before.get());
  groups.MoveTo("pod/two");
  const auto after = groups.Find();
  ASSERT_EQ(after->path(), before->path()) << "the same limit holds";
  EXPECT_FALSE(counter.IsOf(*after));
  counter.Follow(*after, before->OomKills(), after->OomKills());
  const proto::ExecutorSnapshot told = Told(counter, *after);
  EXPECT_EQ(told.cgroup(), after->KillCounter());
  EXPECT_NE(told.cgroup(), before->KillCounter());
  EXPECT_EQ(told.oom_kills(), 5u);
  EXPECT_FALSE(told.has_oom_kills_at_start()) << "nobody has read it then";
  EXPECT_GT(told.cgroup_clock_ms(), 0);
}

}  // namespace
}  // namespace memprof
