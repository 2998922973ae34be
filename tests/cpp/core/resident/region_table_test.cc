#include "resident/region_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace memprof {
namespace {

using enum RegionKind;

const char kArrow[] = "/packages/pyarrow/libarrow.so";
const char kPolars[] = "/packages/polars/polars.so";

std::vector<std::string> Listed(RegionTable& table) {
  std::vector<std::string> regions;
  table.ForEachIn(0, UINTPTR_MAX, [&](const RegionTable::Region& region) {
    const char* kind = region.kind == kArena ? "arena" : region.kind == kPool ? "pool" : "before";
    std::string text = std::to_string(region.begin) + "-" + std::to_string(region.end) + " " + kind;
    if (region.label != nullptr) text += " " + std::string(region.label, region.label_size).substr(10, 6);
    regions.push_back(text);
  });
  return regions;
}

void AddPool(RegionTable& table, uintptr_t begin, uintptr_t end, const char* label) {
  table.Add(begin, end, kPool, label, static_cast<uint32_t>(strlen(label)));
}

class RegionTableTest : public testing::Test {
 protected:
  std::unique_ptr<RegionTable> owner_ = std::make_unique<RegionTable>();
  RegionTable& table_ = *owner_;
};

TEST_F(RegionTableTest, NeighboursOfOneKindAndLabelAreOne) {
  EXPECT_TRUE(table_.Empty());
  table_.Add(300, 400, kArena);
  table_.Add(100, 200, kArena);
  table_.Add(200, 300, kArena);
  AddPool(table_, 400, 500, kArrow);
  AddPool(table_, 500, 600, kPolars);
  AddPool(table_, 600, 700, kPolars);
  EXPECT_THAT(Listed(table_), testing::ElementsAre("100-400 arena", "400-500 pool pyarro", "500-700 pool polars"));
  EXPECT_FALSE(table_.Empty());
}

TEST_F(RegionTableTest, WhatIsUnmappedIsCutOut) {
  AddPool(table_, 100, 1000, kArrow);
  table_.Add(1000, 2000, kArena);
  table_.Remove(300, 400);
  table_.Remove(900, 1100);
  table_.Remove(50, 150);
  table_.Remove(1900, 5000);
  EXPECT_THAT(Listed(table_), testing::ElementsAre("150-300 pool pyarro", "400-900 pool pyarro", "1100-1900 arena"));
  table_.Remove(0, 5000);
  EXPECT_TRUE(table_.Empty());
}

TEST_F(RegionTableTest, WhatOfARangeIsOfOneKindIsTakenOut) {
  table_.Add(100, 200, kBefore);
  table_.Add(200, 300, kArena);
  table_.Add(300, 900, kBefore);
  AddPool(table_, 900, 1000, kArrow);
  table_.RemoveOfKind(kBefore, 150, 400);
  table_.RemoveOfKind(kBefore, 500, 600);
  table_.RemoveOfKind(kBefore, 800, 5000);
  EXPECT_THAT(Listed(table_),
              testing::ElementsAre("100-150 before", "200-300 arena", "400-500 before", "600-800 before", "900-1000 pool pyarro"));
}

TEST_F(RegionTableTest, ARangeShowsPartsOfRegions) {
  table_.Add(100, 200, kBefore);
  table_.Add(200, 300, kArena);
  table_.Add(400, 500, kArena);
  std::vector<std::pair<uintptr_t, uintptr_t>> parts;
  table_.ForEachIn(150, 400, [&](const RegionTable::Region& region) { parts.emplace_back(region.begin, region.end); });
  EXPECT_THAT(parts, testing::ElementsAre(std::pair(150, 200), std::pair(200, 300)));
}

TEST_F(RegionTableTest, WhoMapsAnewTakesIt) {
  AddPool(table_, 100, 1000, kArrow);
  AddPool(table_, 400, 500, kPolars);
  EXPECT_THAT(Listed(table_), testing::ElementsAre("100-400 pool pyarro", "400-500 pool polars", "500-1000 pool pyarro"));
}

TEST_F(RegionTableTest, WhatWasThereBeforeTakesOnlyWhatIsNobodys) {
  table_.Add(200, 300, kArena);
  table_.Add(400, 500, kArena);
  table_.Add(100, 450, kBefore);
  table_.Add(600, 700, kBefore);
  table_.Add(210, 290, kBefore);
  EXPECT_THAT(Listed(table_), testing::ElementsAre("100-200 before", "200-300 arena", "300-400 before", "400-500 arena", "600-700 before"));
  table_.RemoveAll(kBefore);
  EXPECT_THAT(Listed(table_), testing::ElementsAre("200-300 arena", "400-500 arena"));
}

TEST_F(RegionTableTest, WhatFindsNoRoomIsCounted) {
  for (uintptr_t i = 0; i < RegionTable::kMost + 5; ++i) table_.Add(1000 * (i + 1), 1000 * (i + 1) + 1, kArena);
  EXPECT_EQ(Listed(table_).size(), RegionTable::kMost);
  EXPECT_EQ(table_.dropped(), 5u);
  table_.Remove(1000, 1001);
  table_.Add(5, 6, kArena);
  EXPECT_EQ(Listed(table_).front(), "5-6 arena");
}

}  // namespace
}  // namespace memprof
