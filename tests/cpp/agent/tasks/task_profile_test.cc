#include "tasks/task_profile.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memprof {
namespace {

proto::TaskProfile TaskOf(TaskProfileInputs inputs) {
  const NativeNames names;
  inputs.names = &names;
  proto::Envelope envelope;
  EXPECT_TRUE(envelope.ParseFromString(BuildTaskProfile(inputs).envelope));
  return envelope.task();
}

proto::ExecutorSnapshot SnapshotOf(int processes) {
  proto::ExecutorSnapshot snapshot;
  for (int pid = 0; pid < processes; ++pid) {
    proto::Process process;
    process.set_pid(4000 + pid);
    process.set_kind("python-worker");
    process.set_peak_rss_bytes(90'000'049 - static_cast<uint64_t>(pid));
    *snapshot.add_processes() = process;
    *snapshot.mutable_at_peak()->add_processes() = process;
    *snapshot.mutable_last()->add_processes() = process;
  }
  snapshot.mutable_last()->set_used_bytes(600'000'007);
  snapshot.mutable_at_peak()->set_used_bytes(700'000'001);
  return snapshot;
}

TEST(TaskProfile, AMomentThatDoesNotFitIsLeftOutWhole) {
  for (int processes = 1; processes < 60; ++processes) {
    const proto::ExecutorSnapshot snapshot = SnapshotOf(processes);
    TaskProfileInputs inputs;
    inputs.executor = &snapshot;
    inputs.max_bytes = 4096;
    const proto::ExecutorSnapshot sent = TaskOf(std::move(inputs)).executor();
    ASSERT_LE(sent.ByteSizeLong(), 1024u) << processes;
    ASSERT_TRUE(!sent.has_at_peak() || sent.at_peak().processes_size() == processes) << processes;
    ASSERT_EQ(sent.processes(0).pid(), 4000) << "the largest stays";
    ASSERT_EQ(sent.last().used_bytes(), 600'000'007u) << "a verdict rests on it";
    ASSERT_GE(sent.last().processes_size(), std::min(processes, 10)) << "and on who held it";
    ASSERT_EQ(sent.last().processes(0).pid(), 4000) << "the largest stays";
  }
}

TEST(TaskProfile, HeapArraysThatAreSampledForCertainAreExact) {
  std::atomic<uint64_t> dropped{0};
  TaskProfileInputs inputs;
  inputs.max_bytes = 4096;
  inputs.jvm.stacks = std::make_shared<JvmStacks>(&dropped);
  inputs.jvm.heap.push_back({0, {20'000'003, 1, 0}});
  const proto::TaskProfile task = TaskOf(inputs);
  ASSERT_EQ(task.sites_size(), 1);
  EXPECT_FALSE(task.sites(0).sampled());
  EXPECT_TRUE(task.sites(0).has_variance()) << "a measured 0, not an absent one";
}

// A library that this process has loaded, as the loader's watch describes it.
const ModuleTable::Identity& LibraryOf(const char* path) {
  static ModuleTable::Identity library;
  library.path = path;
  library.path_size = static_cast<uint32_t>(std::string_view(path).size());
  return library;
}

TEST(TaskProfile, NativeFramesAreNamedOrAskedFor) {
  std::atomic<uint64_t> dropped{0};
  const ModuleTable::Identity& library = LibraryOf("/opt/libodd.so");
  NativeCalls calls;
  calls.calls[0] = {&library, 0x40};  // innermost
  calls.calls[1] = {&library, 0x70};
  calls.depth = 2;
  TaskProfileInputs inputs;
  inputs.max_bytes = 4096;
  inputs.jvm.stacks = std::make_shared<JvmStacks>(&dropped);
  const JvmStackId stack = inputs.jvm.stacks->Intern(nullptr, nullptr, CapturedStack(), &calls);
  inputs.jvm.native.push_back({stack, {70'000'003, 1, 0}, {1'000'003, 1, 0}, {60'000'011, 1, 0}});
  NativeNames names;
  names.Put({"/opt/libodd.so", "", 0x70}, {SourceCall{"outer", "odd.cc", 9}, SourceCall{"inlined", "odd.h", 7}});
  inputs.names = &names;
  const BuiltProfile built = BuildTaskProfile(inputs);
  ASSERT_EQ(built.unnamed.size(), 1u);
  EXPECT_EQ(built.unnamed.front(), (NativeFrame{"/opt/libodd.so", "", 0x40}));
  proto::Envelope envelope;
  ASSERT_TRUE(envelope.ParseFromString(built.envelope));
  const proto::TaskProfile& task = envelope.task();
  ASSERT_EQ(task.sites_size(), 1);
  EXPECT_EQ(task.sites(0).origin(), proto::ORIGIN_JVM_NATIVE);
  EXPECT_EQ(task.sites(0).allocated_bytes(), 70'000'003u);
  EXPECT_EQ(task.sites(0).live_at_peak_bytes(), 60'000'011u);
  std::vector<std::string> functions;
  for (uint32_t node = task.sites(0).stack(); node != 0; node = task.stacks(static_cast<int>(node) - 1).parent()) {
    const proto::Frame& frame = task.frames(static_cast<int>(task.stacks(static_cast<int>(node) - 1).frame()));
    functions.insert(functions.begin(), task.strings(static_cast<int>(frame.function())));
  }
  EXPECT_EQ(functions, (std::vector<std::string>{"outer", "inlined", ""}));
}

}  // namespace
}  // namespace memprof
