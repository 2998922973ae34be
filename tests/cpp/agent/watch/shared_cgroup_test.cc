#include "watch/shared_cgroup.h"

#include <gtest/gtest.h>

#include "agent/watch/no_cgroup.h"
#include "core/system/file_tree.h"

namespace memprof {
namespace {

constexpr int32_t kOwn = 11;

class GroupOf : public testing::NoCgroup {
 public:
  explicit GroupOf(std::vector<int32_t> processes) : processes_(std::move(processes)) {}
  std::vector<int32_t> Processes() const override { return processes_; }

 private:
  std::vector<int32_t> processes_;
};

std::string CommandLine(const std::string& main_class) {
  const char zero = '\0';
  return std::string("/usr/bin/java") + zero + "-cp" + zero + "/jars/*" + zero + main_class + zero + "--executor-id" + zero + "1" + zero;
}

TEST(SharedCgroup, IsOneWithAnotherExecutorsJvm) {
  const std::string executor = CommandLine("org.apache.spark.executor.CoarseGrainedExecutorBackend");
  FileTree tree;
  tree.Write("11/cmdline", executor);
  tree.Write("12/cmdline", CommandLine("org.apache.spark.deploy.worker.Worker"));
  tree.Write("13/cmdline", executor);
  tree.Write("13/status", "Name:\tjava\nPPid:\t12\nVmRSS:\t100 kB\n");
  tree.Write("15/cmdline", executor);
  tree.Write("15/status", "Name:\tjava\nPPid:\t11\nVmRSS:\t100 kB\n");
  const ProcFiles proc(tree.root());
  EXPECT_FALSE(OtherExecutorIn(GroupOf({}), proc, kOwn));
  EXPECT_FALSE(OtherExecutorIn(GroupOf({kOwn}), proc, kOwn)) << "itself";
  EXPECT_FALSE(OtherExecutorIn(GroupOf({kOwn, 12, 14}), proc, kOwn)) << "a worker's JVM, and one that has ended";
  EXPECT_FALSE(OtherExecutorIn(GroupOf({kOwn, 15}), proc, kOwn)) << "its own child, which is about to run another program";
  EXPECT_TRUE(OtherExecutorIn(GroupOf({12, 13, 15, kOwn}), proc, kOwn));
}

}  // namespace
}  // namespace memprof
