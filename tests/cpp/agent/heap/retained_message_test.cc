#include "heap/retained_message.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

RetainedInputs Inputs(size_t sites, double bytes) {
  RetainedInputs inputs;
  inputs.marking = {"PS MarkSweep (System.gc())", 0, 0, 0, 1'000'003, 2'000'000};
  inputs.time_ms = 1'700'000'000'123;
  inputs.interval_bytes = 16'384;
  inputs.thread_name = [](uint32_t bucket) { return "thread-" + std::to_string(bucket); };
  for (size_t i = 0; i < sites; ++i) {
    inputs.sites.push_back({{nullptr, 0, i % 2 == 0 ? static_cast<int32_t>(i) : -1, 1, static_cast<uint32_t>(i)}, bytes, 7, 900});
  }
  return inputs;
}

TEST(RetainedMessage, SaysWhoHoldsHowMuch) {
  const proto::RetainedHeap heap = BuildRetained(Inputs(2, 30'001));
  EXPECT_EQ(heap.time_ms(), 1'700'000'000'123);
  EXPECT_EQ(heap.heap_used_after_bytes(), 1'000'003u);
  EXPECT_EQ(heap.total_bytes(), 60'002u);
  EXPECT_EQ(heap.variance(), 1800);
  ASSERT_EQ(heap.sites_size(), 2);
  EXPECT_EQ(heap.sites(0).bytes(), 30'001u);
  EXPECT_EQ(heap.sites(0).objects(), 7u);
  EXPECT_EQ(heap.sites(0).stage_id(), 0);
  EXPECT_EQ(heap.sites(0).thread(), 0u);
  EXPECT_EQ(heap.sites(1).stage_id(), -1);
  EXPECT_EQ(heap.names().strings(static_cast<int>(heap.sites(1).thread())), "thread-1");
}

TEST(RetainedMessage, NothingIsRetainedThatIsNotInUse) {
  const proto::RetainedHeap heap = BuildRetained(Inputs(3, 500'009));
  EXPECT_LE(heap.total_bytes(), heap.heap_used_after_bytes());
  EXPECT_GT(heap.total_bytes(), heap.heap_used_after_bytes() - 4);
  EXPECT_EQ(heap.sites(0).bytes(), heap.sites(2).bytes());
}

TEST(RetainedMessage, WhatIsKnownExactlyStays) {
  RetainedInputs inputs = Inputs(3, 400'000);
  inputs.sites[1].variance = 0;
  inputs.sites[2].variance = 2'700;
  const proto::RetainedHeap heap = BuildRetained(inputs);
  EXPECT_EQ(heap.sites(0).bytes(), 400'000u);
  EXPECT_EQ(heap.sites(0).stage_id(), -1);
  EXPECT_EQ(heap.sites(1).bytes(), 350'000u);
  EXPECT_EQ(heap.sites(2).bytes(), 250'002u);
  EXPECT_EQ(heap.sites(2).objects(), 4u);
  EXPECT_LE(heap.total_bytes(), heap.heap_used_after_bytes());
}

TEST(RetainedMessage, WhatCanGiveGivesFirst) {
  RetainedInputs inputs = Inputs(3, 0);
  inputs.marking.heap_used_bytes = 8'000'000'000;
  inputs.sites[0].bytes = 7e9;
  inputs.sites[0].variance = 4e15;
  inputs.sites[1].bytes = 2e9;
  inputs.sites[1].variance = 0;
  inputs.sites[2].bytes = 1e9;  // one object that stands for many
  inputs.sites[2].variance = 1e18;
  const proto::RetainedHeap heap = BuildRetained(inputs);
  ASSERT_EQ(heap.sites_size(), 2) << "what comes down to nothing is left out";
  EXPECT_EQ(heap.sites(0).bytes(), 6'000'000'000u);
  EXPECT_EQ(heap.sites(1).bytes(), 2'000'000'000u);
}

TEST(RetainedMessage, WhatFindsNoRoomIsSummedUp) {
  const proto::RetainedHeap heap = BuildRetained(Inputs(3000, 101), 700);
  EXPECT_LE(heap.ByteSizeLong(), 700u);
  EXPECT_GT(heap.sites_size(), 5);
  EXPECT_EQ(heap.sites_size() + heap.other_sites(), 3000u);
  EXPECT_EQ(heap.sites_size() * 101 + heap.other_bytes(), heap.total_bytes());
  EXPECT_EQ(heap.total_bytes(), 303'000u);
}

}  // namespace
}  // namespace memprof
