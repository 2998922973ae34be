#include "watch/victims.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "core/system/file_tree.h"

namespace memprof {
namespace {

WatchedProcess Gone(int32_t pid, ProcessKind kind, uint64_t rss_bytes) {
  WatchedProcess process;
  process.pid = pid;
  process.kind = kind;
  process.rss_bytes = rss_bytes;
  return process;
}

TEST(Victims, TheLargestWorkerOrProgramIsTheLikeliest) {
  WatchedProcess of_task = Gone(5, ProcessKind::kPythonWorker, 900);
  of_task.end = EndedProcess{{5, 1}, true, {}};
  std::vector<WatchedProcess> gone = {Gone(1, ProcessKind::kPythonDaemon, 1000), of_task, Gone(2, ProcessKind::kPythonWorker, 300),
                                      Gone(3, ProcessKind::kProgram, 800), Gone(4, ProcessKind::kPythonWorker, 400)};
  SortLikeliestFirst(&gone);
  std::vector<int32_t> pids;
  for (const WatchedProcess& process : gone) pids.push_back(process.pid);
  EXPECT_EQ(pids, (std::vector<int32_t>{3, 4, 2, 5, 1}));
}

TEST(Victims, AProgramThatWasNotTheLargestHasEndedByItself) {
  FileTree tree;
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  tree.Write("10/cmdline", std::string("java\0Executor\0", 14));
  tree.Write("10/stat", "10 (java) S 1 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 100 1 2\n");
  tree.Write("10/statm", "900 500 1\n");
  ProcessWatch watch(ProcFiles(tree.root()), 10, false);
  watch.Tick();
  ASSERT_EQ(watch.living().at(10).rss_bytes, 500 * page);
  const WatchedProcess small = Gone(3, ProcessKind::kProgram, 499 * page), large = Gone(4, ProcessKind::kProgram, 500 * page);
  EXPECT_FALSE(WasLargest(small, {small}, watch)) << "the JVM lives, and was larger";
  EXPECT_TRUE(WasLargest(large, {small, large}, watch));
  EXPECT_FALSE(WasLargest(large, {large, Gone(5, ProcessKind::kPythonWorker, 501 * page)}, watch)) << "a worker that went with it";
  const auto driver = [page](uint64_t pages) { return Gone(6, ProcessKind::kPythonDriver, pages * page); };
  EXPECT_TRUE(WasLargest(driver(250), {driver(250)}, watch)) << "the JVM that lives may be twice as large";
  EXPECT_FALSE(WasLargest(driver(249), {driver(249)}, watch));
  EXPECT_FALSE(WasLargest(driver(250), {driver(250), Gone(7, ProcessKind::kPythonDriver, 251 * page)}, watch)) << "its child was larger";
}

TEST(Victims, WhoMayHaveEndedByItselfIsNotTakenForKilledAtOnce) {
  EXPECT_TRUE(MayHaveEndedByItself(Gone(3, ProcessKind::kProgram, 1)));
  EXPECT_FALSE(MayHaveEndedByItself(Gone(3, ProcessKind::kPythonDaemon, 1)));
  WatchedProcess driver = Gone(3, ProcessKind::kPythonDriver, 1);
  EXPECT_TRUE(MayHaveEndedByItself(driver)) << "its program has come to its end";
  driver.owner = {2, 100};
  EXPECT_FALSE(MayHaveEndedByItself(driver)) << "a child of the driver's Python is not the driver's own";
}

}  // namespace
}  // namespace memprof
