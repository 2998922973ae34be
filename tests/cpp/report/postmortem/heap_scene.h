// An executor that runs out of heap and lives on.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "proto/envelope.h"
#include "report/postmortem/scene.h"
#include "report/profile_builder.h"
#include "store/profile_store.h"

namespace memprof::testing {

inline constexpr uint64_t kHeap = 512 * kMi, kBooks = 401'000'011;
inline constexpr int64_t kErrorMs = kBegin + 9'600;  // the executor is gone at kBegin + 10'000

// Task 40's thread asked for more; the heap is full of long[].
inline proto::Envelope HeapError(bool ends_jvm, int64_t time_ms = kErrorMs, int64_t task = 40) {
  ProfileBuilder names(0, 0, 0);
  names.Site(proto::ORIGIN_JVM_HEAP,
             {Java("", "org.apache.spark.sql.execution.SortExec.doExecute", "SortExec.scala", 88),
              Java("", "org.acme.Book.add", "Book.java", 41), Java("", "java.util.ArrayList.grow", "ArrayList.java", 238)},
             1, 1);
  proto::Envelope envelope = EnvelopeOf("1");
  proto::HeapShortage& error = *envelope.mutable_heap_shortage();
  error.set_time_ms(time_ms);
  error.set_error(ends_jvm ? "" : "Java heap space");
  error.set_ends_jvm(ends_jvm);
  error.set_thread("pool-#");
  error.set_task_attempt_id(task);
  error.set_stage_id(task < 0 ? -1 : 5);
  error.set_errors(2);
  error.set_jvm_pid(4100);
  *error.mutable_names()->mutable_strings() = names.profile().strings();
  *error.mutable_names()->mutable_frames() = names.profile().frames();
  *error.mutable_names()->mutable_stacks() = names.profile().stacks();
  error.set_stack(names.profile().sites(0).stack());
  proto::HeapClass& books = *error.add_classes();
  books.set_name("long[]");
  books.set_bytes(kBooks);
  books.set_objects(1'234);
  error.set_other_classes(7);
  error.set_other_bytes(99'000'001);
  error.set_total_bytes(kBooks + 99'000'001);
  error.set_total_objects(5'678);
  for (const auto& [name, bytes] : {std::pair("heap.max", kHeap), std::pair("heap.storage", 11 * kMi)}) {
    proto::NamedBytes& row = *error.add_regions();
    row.set_name(name);
    row.set_bytes(bytes);
  }
  proto::Envelope retained;
  EXPECT_TRUE(retained.ParseFromString(RetainedBytes("1", time_ms - 3, 77'000'003)));
  *error.mutable_retained() = retained.retained_heap();
  return envelope;
}

// The executor lives on, with task 40 in it.
inline void FillLivingScene(ProfileStore& store) {
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  ProfileBuilder task = RunningTask(40, kDeadlyBytes);
  task.profile().set_final(true);
  static_cast<void>(store.Ingest(task.Bytes()));
  static_cast<void>(store.Ingest(LastSnapshot(kContainer / 3).SerializeAsString()));
}

}  // namespace memprof::testing
