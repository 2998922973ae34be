#include "hooking/got_patcher.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "core/hooking/fixture.h"

namespace memprof {
namespace {

constexpr pid_t kHooked = 1'999'993;

void* original = nullptr;
pid_t Replacement() { return kHooked; }

// The protection of the mapping that holds an address, as in /proc/self/maps: "r--p".
std::string ProtectionOf(uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin, end;
    char protection[5];
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, protection) == 3 && address >= begin && address < end) return protection;
  }
  return "unmapped";
}

class GotPatcherTest : public testing::Test {
 protected:
  void SetUp() override {
    Status status = patcher_.Init(hooks_, 1);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_NE(original, nullptr);
  }

  void Patch(const Fixture& fixture) {
    VisitLoadedModules([&](const LoadedModule& module) {
      if (fixture.Is(module)) patcher_.Patch(module);
    });
  }
  void Restore(const Fixture& fixture) {
    VisitLoadedModules([&](const LoadedModule& module) {
      if (fixture.Is(module)) patcher_.Restore(module);
    });
  }

  const GotHook hooks_[1] = {{"getppid", reinterpret_cast<void*>(&Replacement), &original}};
  GotPatcher patcher_;
};

TEST_F(GotPatcherTest, ForAFunctionThatWasLookedUpThereIsItsReplacement) {
  EXPECT_TRUE(patcher_.IsHooked("getppid"));
  EXPECT_FALSE(patcher_.IsHooked("getpid"));
  EXPECT_EQ(patcher_.ReplacementOf(original), reinterpret_cast<void*>(&Replacement));
  EXPECT_EQ(patcher_.ReplacementOf(nullptr), nullptr);
  EXPECT_EQ(patcher_.ReplacementOf(static_cast<char*>(original) + 1), nullptr) << "another library's function of that name";
}

TEST_F(GotPatcherTest, AnUnboundSlotIsRewritten) {
  Fixture fixture("lazy");
  Patch(fixture);
  EXPECT_EQ(fixture.Call(), kHooked);
  EXPECT_EQ(fixture.CallThroughData(), kHooked);
  Restore(fixture);
  EXPECT_EQ(fixture.Call(), getppid());
  EXPECT_EQ(fixture.CallThroughData(), getppid());
  EXPECT_EQ(patcher_.patched(), 0u);
}

TEST_F(GotPatcherTest, ABoundSlotIsRewritten) {
  Fixture fixture("lazy");
  EXPECT_EQ(fixture.Call(), getppid());
  Patch(fixture);
  EXPECT_EQ(fixture.Call(), kHooked);
  Restore(fixture);
  EXPECT_EQ(fixture.Call(), getppid());
}

class RelroTest : public GotPatcherTest, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(GotAndPlt, RelroTest, testing::Values("relro", "relro_plt"));

TEST_P(RelroTest, PointersAreRewrittenAndSealedAgain) {
  Fixture fixture(GetParam());
  Patch(fixture);
  EXPECT_EQ(fixture.Call(), kHooked);
  EXPECT_EQ(fixture.CallThroughData(), kHooked);
  EXPECT_FALSE(patcher_.incomplete());
  VisitLoadedModules([&](const LoadedModule& module) {
    if (!fixture.Is(module)) return;
    ASSERT_LT(module.relro_begin, module.relro_end);
    EXPECT_EQ(ProtectionOf(module.relro_begin), "r--p");
  });
  Restore(fixture);
  EXPECT_EQ(fixture.Call(), getppid());
}

// The loader fills it in and makes its page read-only again; a write would end the process.
TEST_F(GotPatcherTest, APointerAmongConstantsIsLeftAlone) {
  Fixture fixture("text_relocation");
  patcher_.BeginRound();
  Patch(fixture);
  EXPECT_EQ(fixture.CallThroughData(), getppid());
  EXPECT_EQ(fixture.Call(), kHooked);
  EXPECT_FALSE(patcher_.incomplete()) << "a later visit finds it as it is";
  Restore(fixture);
  EXPECT_EQ(fixture.Call(), getppid());
  EXPECT_EQ(patcher_.patched(), 0u);
}

TEST_F(GotPatcherTest, PatchingTwiceChangesNothing) {
  Fixture fixture("relro");
  Patch(fixture);
  const size_t patched = patcher_.patched();
  EXPECT_GE(patched, 2u);
  Patch(fixture);
  EXPECT_EQ(patcher_.patched(), patched);
  Restore(fixture);
}

TEST_F(GotPatcherTest, AModuleWithADefinitionOfItsOwnIsLeftAlone) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's runtime ends the process at RTLD_DEEPBIND";
#endif
  Fixture fixture("own", RTLD_DEEPBIND);  // its own definition comes first
  Patch(fixture);
  EXPECT_EQ(fixture.Call(), 4321);
  EXPECT_EQ(fixture.CallThroughData(), 4321);
  EXPECT_EQ(patcher_.patched(), 0u);
}

TEST_F(GotPatcherTest, ItsOwnModuleIsLeftAlone) {
  VisitLoadedModules([&](const LoadedModule& module) {
    if (module.Contains(reinterpret_cast<uintptr_t>(&Replacement))) patcher_.Patch(module);
  });
  EXPECT_NE(getppid(), kHooked);
  EXPECT_EQ(patcher_.patched(), 0u);
}

TEST_F(GotPatcherTest, AModuleThatIsStillBeingRelocatedIsLeftForLater) {
  Fixture fixture("relro");
  // Its RELRO pages are writable until the loader is done with them.
  auto protect = [&](int protection) {
    VisitLoadedModules([&](const LoadedModule& module) {
      if (!fixture.Is(module)) return;
      ASSERT_EQ(mprotect(reinterpret_cast<void*>(module.relro_begin), module.relro_end - module.relro_begin, protection), 0);
    });
  };
  protect(PROT_READ | PROT_WRITE);
  patcher_.BeginRound();
  Patch(fixture);
  EXPECT_TRUE(patcher_.incomplete());
  EXPECT_EQ(fixture.Call(), getppid());

  protect(PROT_READ);
  patcher_.BeginRound();
  Patch(fixture);
  EXPECT_FALSE(patcher_.incomplete());
  EXPECT_EQ(fixture.Call(), kHooked);
  Restore(fixture);
}

TEST(GotPatcher, AnUnknownFunctionIsRefusedByName) {
  void* unused = nullptr;
  const GotHook hooks[] = {{"memprof_no_such_function", reinterpret_cast<void*>(&Replacement), &unused}};
  GotPatcher patcher;
  Status status = patcher.Init(hooks, 1);
  EXPECT_EQ(status.code(), ErrorCode::kNotFound);
  EXPECT_NE(std::string(status.message()).find("memprof_no_such_function"), std::string::npos);
}

TEST(GotPatcher, AFunctionThatMayBeMissingIsNotPatched) {
  void *unused = nullptr, *found = nullptr;
  const GotHook hooks[] = {{"memprof_no_such_function", reinterpret_cast<void*>(&Replacement), &unused, true},
                           {"getppid", reinterpret_cast<void*>(&Replacement), &found}};
  GotPatcher patcher;
  EXPECT_TRUE(patcher.Init(hooks, 2).ok());
  EXPECT_EQ(unused, nullptr);
  EXPECT_NE(found, nullptr);
}

}  // namespace
}  // namespace memprof
