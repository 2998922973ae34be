#include "hooking/dynamic_tables.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "core/hooking/fixture.h"

namespace memprof {
namespace {

TEST(DynamicTables, FindsWhatAModuleDefinesAndNothingElse) {
  void* libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(libc, nullptr);
  const uintptr_t expected = reinterpret_cast<uintptr_t>(dlsym(libc, "getppid"));
  int definitions = 0;
  VisitLoadedModules([&](const LoadedModule& module) {
    if (module.is_loader_or_vdso) return;
    const uintptr_t address = DynamicTables(module).FunctionAddress("getppid");
    if (address == 0) return;
    EXPECT_EQ(address, expected);
    EXPECT_TRUE(module.Contains(expected));
    ++definitions;
  });
  EXPECT_EQ(definitions, 1);
  dlclose(libc);
}

TEST(DynamicTables, BothKindsOfHashTableAreRead) {
  for (const char* name : {"lazy", "sysv_hash"}) {
    Fixture fixture(name);
    VisitLoadedModules([&](const LoadedModule& module) {
      if (!fixture.Is(module)) return;
      const DynamicTables tables(module);
      EXPECT_EQ(tables.FunctionAddress("fixture_call"), fixture.Address()) << name;
      EXPECT_EQ(tables.FunctionAddress("getppid"), 0u) << name;
      EXPECT_EQ(tables.FunctionAddress("fixture_pointer"), 0u) << "data is no function";
    });
  }
}

TEST(LoadedModule, TheBuildIdIsTheFiles) {
  Fixture fixture("lazy");
  bool seen = false;
  VisitLoadedModules([&](const LoadedModule& module) {
    if (!fixture.Is(module)) return;
    seen = true;
    ASSERT_EQ(module.build_id_size, 4u);  // given to the linker
    const uint8_t expected[] = {0x19, 0x99, 0x99, 0x3f};
    EXPECT_EQ(memcmp(module.build_id, expected, 4), 0);
    EXPECT_EQ(module.path, fixture.path());
    EXPECT_FALSE(module.is_loader_or_vdso);
  });
  EXPECT_TRUE(seen);
}

TEST(LoadedModule, LoaderAndVdsoAreTold) {
  int found = 0;
  VisitLoadedModules([&](const LoadedModule& module) { found += module.is_loader_or_vdso; });
  EXPECT_GE(found, 1);
  EXPECT_LE(found, 2);
}

}  // namespace
}  // namespace memprof
