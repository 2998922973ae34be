#include "hooking/module_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

namespace memprof {
namespace {

LoadedModule Module(uintptr_t begin, uintptr_t end, const char* path, uint8_t build_id = 0) {
  LoadedModule module;
  module.bias = begin - 0x1000;  // as of a file whose first segment doesn't begin at 0
  module.begin = begin;
  module.end = end;
  module.path = path;
  if (build_id != 0) {
    module.build_id[0] = build_id;
    module.build_id[1] = 0x0f;
    module.build_id_size = 2;
  }
  return module;
}

std::string PathOf(const ModuleTable::Location& location) {
  return location.module == nullptr ? "" : std::string(location.module->path, location.module->path_size);
}

class ModuleTableTest : public testing::Test {
 protected:
  std::unique_ptr<ModuleTable> table_ = std::make_unique<ModuleTable>();
};

TEST_F(ModuleTableTest, AddressesAreFoundBetweenTheEndsOfTheirModule) {
  table_->BeginRound();
  for (auto [begin, path] : {std::pair{0x30000u, "/c"}, {0x10000u, "/a"}, {0x20000u, "/b"}})
    table_->Add(Module(begin, begin + 0x8000, path));
  table_->Publish();
  EXPECT_EQ(PathOf(table_->Find(0x10000)), "/a");
  EXPECT_EQ(PathOf(table_->Find(0x17fff)), "/a");
  EXPECT_EQ(PathOf(table_->Find(0x18000)), "");
  EXPECT_EQ(PathOf(table_->Find(0x20001)), "/b");
  EXPECT_EQ(PathOf(table_->Find(0x37000)), "/c");
  EXPECT_EQ(PathOf(table_->Find(0x0ffff)), "");
  EXPECT_EQ(PathOf(table_->Find(0x40000)), "");
  EXPECT_EQ(table_->Find(0x20001).offset, 0x1001u);
}

TEST_F(ModuleTableTest, NothingIsVisibleBeforeItIsPublished) {
  table_->BeginRound();
  table_->Add(Module(0x10000, 0x20000, "/a"));
  EXPECT_EQ(PathOf(table_->Find(0x10000)), "");
  table_->Publish();
  table_->BeginRound();
  EXPECT_EQ(PathOf(table_->Find(0x10000)), "/a");
  table_->Publish();
  EXPECT_EQ(PathOf(table_->Find(0x10000)), "");
}

TEST_F(ModuleTableTest, TheBuildIdIsLowerCaseHex) {
  table_->BeginRound();
  table_->Add(Module(0x10000, 0x20000, "/a", 0xAB));
  table_->Publish();
  const ModuleTable::Identity* module = table_->Find(0x10000).module;
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(std::string(module->build_id, module->build_id_size), "ab0f");
}

TEST_F(ModuleTableTest, AnotherBuildAtTheSamePathIsAnotherModule) {
  ModuleTable::Identity* seen[3];
  const uint8_t build_ids[] = {1, 2, 1};
  for (int i = 0; i < 3; ++i) {
    table_->BeginRound();
    table_->Add(Module(0x10000, 0x20000, "/a", build_ids[i]));
    table_->Publish();
    seen[i] = table_->Find(0x10000).module;
  }
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

TEST_F(ModuleTableTest, WhatDoesNotFitIsCountedAndUnknown) {
  table_->BeginRound();
  for (size_t i = 0; i < ModuleTable::kMaxModules + 3; ++i) {
    const uintptr_t begin = (i + 1) << 16;
    table_->Add(Module(begin, begin + 0x1000, ("/" + std::to_string(i)).c_str()));
  }
  table_->Publish();
  EXPECT_EQ(table_->dropped(), 3u);
  EXPECT_EQ(PathOf(table_->Find(1 << 16)), "/0");
  EXPECT_EQ(PathOf(table_->Find((ModuleTable::kMaxModules + 2) << 16)), "");
}

TEST_F(ModuleTableTest, AReaderNeverSeesAMixture) {
  // Two modules take turns in two places; the offset tells which one a range belongs to.
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop.load()) {
      const ModuleTable::Location location = table_->Find(0x10800);
      if (location.module == nullptr) continue;
      ASSERT_EQ(PathOf(location), location.offset == 0x1800 ? "/a" : "/b");
    }
  });
  for (int i = 0; i < 20'000; ++i) {
    table_->BeginRound();
    table_->Add(i % 2 == 0 ? Module(0x10000, 0x20000, "/a") : Module(0x10400, 0x20000, "/b"));
    table_->Publish();
  }
  stop.store(true);
  reader.join();
}

}  // namespace
}  // namespace memprof
