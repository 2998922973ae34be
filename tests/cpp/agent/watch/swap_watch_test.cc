#include "watch/swap_watch.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "agent/watch/no_cgroup.h"
#include "core/system/file_tree.h"

namespace memprof {
namespace {

constexpr uint64_t kKb = 1024;

class Group : public testing::NoCgroup {
 public:
  explicit Group(std::optional<uint64_t> left) : left_(left) {}
  std::optional<uint64_t> SwapLeft() const override { return left_; }

 private:
  std::optional<uint64_t> left_;
};

// Executor 10 with a daemon, 21.
class Executor {
 public:
  Executor() {
    Put(10, 1, 0);
    Put(21, 10, 0);
    tree_.Write("10/task/10/children", "21");
    tree_.Write("21/task/21/children", "");
    watch_.emplace(ProcFiles(tree_.root()), 10, false);
    watch_->Discover();
  }

  void Put(int pid, int parent, uint64_t swap_kb) {
    const std::string folder = std::to_string(pid);
    tree_.Write(folder + "/cmdline", pid == 10 ? "java" : std::string("python3\0-m\0pyspark.daemon\0", 26));
    tree_.Write(folder + "/stat", folder + " (x) S " + std::to_string(parent) + " 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 100 1 2\n");
    tree_.Write(folder + "/statm", "9 9000 1\n");
    tree_.Write(folder + "/status",
                "PPid:\t" + std::to_string(parent) + "\nVmHWM:\t36000 kB\nVmRSS:\t36000 kB\nVmSwap:\t" + std::to_string(swap_kb) + " kB\n");
  }
  void Host(uint64_t total_kb, uint64_t free_kb) {
    tree_.Write("meminfo", "SwapTotal: " + std::to_string(total_kb) + " kB\nSwapFree: " + std::to_string(free_kb) + " kB\n");
  }
  proto::ExecutorSnapshot Look(const MemoryCgroup* limiting) {
    const ProcFiles proc(tree_.root());
    swap_.Look(proc.ReadHostRoom().swap, proc, *watch_, limiting);
    proto::ExecutorSnapshot snapshot;
    swap_.AddTo(&snapshot);
    return snapshot;
  }

 private:
  FileTree tree_;
  std::optional<ProcessWatch> watch_;
  SwapWatch swap_;
};

TEST(SwapWatch, NothingIsSaidWhereTheHostHasNone) {
  Executor executor;
  EXPECT_FALSE(executor.Look(nullptr).has_swap()) << "nothing can be read";
  executor.Host(0, 0);
  EXPECT_FALSE(executor.Look(nullptr).has_swap());
}

TEST(SwapWatch, TheMostThatLayThereAndWhatIsLeft) {
  Executor executor;
  const Group bounded(500 * kKb), unbounded(std::nullopt);
  executor.Host(9000, 9000);
  EXPECT_EQ(executor.Look(&bounded).swap().left_bytes(), 500 * kKb);
  EXPECT_EQ(executor.Look(&unbounded).swap().left_bytes(), 9000 * kKb);
  EXPECT_EQ(executor.Look(nullptr).swap().peak_bytes(), 0u);
  executor.Put(10, 1, 300);
  executor.Put(21, 10, 77);
  executor.Host(9000, 400);
  const proto::ExecutorSnapshot full = executor.Look(&bounded);
  EXPECT_EQ(full.swap().peak_bytes(), 377 * kKb);
  EXPECT_EQ(full.swap().beside_jvm_bytes(), 77 * kKb);
  EXPECT_GT(full.swap().clock_ms(), 0);
  EXPECT_EQ(full.swap().left_bytes(), 400 * kKb) << "the host has no more";
  executor.Put(10, 1, 1);
  executor.Host(9000, 8000);
  const proto::ExecutorSnapshot later = executor.Look(&bounded);
  EXPECT_EQ(later.swap().peak_bytes(), 377 * kKb);
  EXPECT_EQ(later.swap().left_bytes(), 500 * kKb);
}

}  // namespace
}  // namespace memprof
