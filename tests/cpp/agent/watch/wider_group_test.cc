#include "watch/wider_group.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

constexpr uint64_t kGi = uint64_t{1} << 30;

TEST(WiderGroup, IsOneThatHasRoomForSeveralContainers) {
  const char* of_unit = "/sys/fs/cgroup/system.slice/hadoop-yarn-nodemanager.service";
  EXPECT_TRUE(IsOfWiderGroup(64 * kGi, 6 * kGi, of_unit));
  EXPECT_TRUE(IsOfWiderGroup(12 * kGi, 6 * kGi, of_unit));
  EXPECT_FALSE(IsOfWiderGroup(11 * kGi, 6 * kGi, of_unit)) << "what was asked for, rounded up";
  EXPECT_FALSE(IsOfWiderGroup(64 * kGi, 0, of_unit)) << "nobody holds it to anything";
  EXPECT_FALSE(IsOfWiderGroup(64 * kGi, 6 * kGi, "/sys/fs/cgroup/hadoop-yarn/container_1700000000000_0001_01_000002"));
}

}  // namespace
}  // namespace memprof
