#include "watch/resident_code.h"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

namespace memprof {
namespace {

size_t LockedKib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmLck:") continue;
    size_t kib = 0;
    status >> kib;
    return kib;
  }
  return 0;
}

TEST(ResidentCode, ThisProgramAndLibcAreKeptAndLetGo) {
  const size_t before = LockedKib();
  {
    ResidentCode code;
    const size_t kept = code.Keep();
    if (kept == 0) GTEST_SKIP() << "RLIMIT_MEMLOCK or this sandbox allows no locked pages";
    EXPECT_EQ(LockedKib() - before, kept / 1024);
    EXPECT_EQ(code.Keep(), kept) << "once, however often";
    EXPECT_EQ(LockedKib() - before, kept / 1024);
    code.Release();
    EXPECT_EQ(LockedKib(), before);
    code.Keep();
  }
  EXPECT_EQ(LockedKib(), before);
}

// In a child, which gives up what root has.
void KeepWhereItIsForbidden() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none = {};
  const rlimit limit = {0, 0};
  if (syscall(SYS_capset, &header, none.data()) != 0 || setrlimit(RLIMIT_MEMLOCK, &limit) != 0) _exit(2);
  ResidentCode code;
  _exit(code.Keep() == 0 && LockedKib() == 0 ? 0 : 1);
}

TEST(ResidentCode, NothingIsLockedWhereItIsForbidden) { EXPECT_EXIT(KeepWhereItIsForbidden(), testing::ExitedWithCode(0), ""); }

}  // namespace
}  // namespace memprof
