#include "shortage/out_of_memory_command.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(OutOfMemoryCommand, IsAKillThatLeavesNoTrace) {
  for (const char* command : {"kill -9 %p", "/bin/kill -KILL %p", "kill -s SIGKILL %p", "echo full >> /tmp/log; kill -9 %p",
                              "pkill -9 java", "kill  -s kill %p", "kill -n 9 %p"}) {
    EXPECT_TRUE(IsSigkill(command)) << command;
  }
}

TEST(OutOfMemoryCommand, IsAnotherOne) {
  for (const char* command : {"kill %p", "kill -15 %p", "kill -99 %p", "/opt/oom-killer.sh -9 %p", "jmap -histo %p", ""}) {
    EXPECT_FALSE(IsSigkill(command)) << command;
  }
}

}  // namespace
}  // namespace memprof
