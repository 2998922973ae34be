// What is told of a full heap where the walk over it was given up, because it took too long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/postmortem/heap_scene.h"
#include "report/postmortem/worker_scene.h"
#include "report/told.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using namespace testing;

TEST(WalkedHeap, WhatWasNotWalkedIsNotTakenForLetGo) {
  for (const bool cut_short : {true, false}) {
    ProfileStore store;
    FillScene(store, "Command exited with code 52", kContainer / 3);
    proto::Envelope error = HeapError(false);
    proto::HeapShortage& shortage = *error.mutable_heap_shortage();
    shortage.set_cut_short(cut_short);
    shortage.mutable_classes(0)->set_bytes(40 * kMi);
    shortage.set_other_bytes(4 * kMi);
    shortage.set_total_bytes(44 * kMi);
    proto::NamedBytes& collected = *shortage.add_regions();
    collected.set_name("heap.usedAfterGc");
    collected.set_bytes(490 * kMi);
    Tell(store, error);
    EXPECT_THAT(TheDeath(store)["headline"].get<std::string>(), HasSubstr("490.0 MiB of 512.0 MiB in use"));
    const std::string told = TakePostMortems(store, kBegin, true).at(0);
    EXPECT_THAT(told, HasSubstr(cut_short ? "A part of the heap by class, 44.0 MiB in all" : "The heap by class, 44.0 MiB in all"));
    EXPECT_EQ(told.find("But ") == std::string::npos, cut_short) << told;
  }
}

}  // namespace
}  // namespace memprof
