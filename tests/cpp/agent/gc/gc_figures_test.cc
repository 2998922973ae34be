#include "gc/gc_figures.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

Collection Of(const char* collector, const char* cause, uint64_t after_bytes) {
  Collection collection;
  collection.collector = collector;
  collection.cause = cause;
  collection.end_ms = 10;
  collection.before_bytes = 9000;
  collection.after_bytes = after_bytes;
  return collection;
}

TEST(GcFigures, InUseIsWhatTheLastCollectionHasLeft) {
  GcFigures figures;
  proto::ExecutorSnapshot none;
  figures.Describe(&none);
  EXPECT_FALSE(figures.UsedAfter());
  EXPECT_FALSE(none.has_heap_after_gc() || none.has_heap_after_gc_peak()) << "not known is not 0";

  figures.Ended(Of("PS Scavenge", "Allocation Failure", 5003), {1000, 7});
  proto::ExecutorSnapshot young;
  figures.Describe(&young);
  EXPECT_EQ(young.heap_after_gc_peak().bytes(), 5003u);
  EXPECT_FALSE(young.heap_after_gc_peak().whole_heap());
  figures.Ended(Of("PS MarkSweep", "Ergonomics", 3001), {1500, 7});
  figures.Ended(Of("PS Scavenge", "Allocation Failure", 4007), {1700, 7});
  proto::ExecutorSnapshot since;
  figures.Describe(&since);
  EXPECT_EQ(since.heap_after_gc_peak().bytes(), 4007u) << "more than the last of the whole heap has left: nothing says that it is dead";
  EXPECT_FALSE(since.heap_after_gc_peak().whole_heap());
  figures.Ended(Of("PS MarkSweep", "Ergonomics", 2001), {2000, 7});
  EXPECT_EQ(figures.UsedAfter(), 2001u);
  proto::ExecutorSnapshot snapshot;
  figures.Describe(&snapshot);
  EXPECT_EQ(snapshot.heap_after_gc().bytes(), 2001u);
  EXPECT_EQ(snapshot.heap_after_gc().collection(), "PS MarkSweep (Ergonomics)");
  EXPECT_EQ(snapshot.heap_after_gc().time_ms(), 2000);
  EXPECT_EQ(snapshot.heap_after_gc_peak().bytes(), 3001u) << "young collections leave dead objects of the old generation";
  EXPECT_EQ(snapshot.heap_after_gc_peak().collection(), "PS MarkSweep (Ergonomics)");
  EXPECT_EQ(snapshot.heap_after_gc_peak().time_ms(), 1500);
  EXPECT_TRUE(snapshot.heap_after_gc_peak().whole_heap());

  figures.Begin();
  EXPECT_FALSE(figures.UsedAfter()) << "another application's";
}

TEST(GcFigures, WhatLeavesGarbageIsNoAnswer) {
  for (const char* pauses :
       {"ZGC Pauses", "ZGC Minor Pauses", "ZGC Major Pauses", "Shenandoah Pauses", "G1 Concurrent GC", "ConcurrentMarkSweep"}) {
    GcFigures figures;
    figures.Ended(Of(pauses, "Proactive", 9000), {1000, 7});
    EXPECT_FALSE(figures.UsedAfter()) << pauses;
  }
  GcFigures figures;
  figures.Ended(Of("ZGC Major Cycles", "Proactive", 3001), {1000, 7});
  figures.Ended(Of("ZGC Major Pauses", "Proactive", 9000), {1100, 7});
  EXPECT_EQ(figures.UsedAfter(), 3001u);
}

}  // namespace
}  // namespace memprof
