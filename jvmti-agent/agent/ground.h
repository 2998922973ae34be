// Ground: what several parts of the Agent share. Each member is thread-safe by itself.
#pragma once

#include "agent/application.h"
#include "agent/jvm.h"
#include "base/run_within.h"
#include "base/shortcomings.h"
#include "gc/pause_clock.h"
#include "proto/envelope.h"
#include "shortage/left_words.h"
#include "stacks/jvm_stacks.h"
#include "tasks/task_table.h"
#include "tasks/thread_buckets.h"
#include "watch/message_queue.h"
#include "watch/watcher.h"

namespace memprof {

struct Ground {
  CurrentApplication application;
  Jvm jvm;
  Shortcomings shortcomings;
  StackGenerations stacks;
  TaskTable tasks;
  ThreadBuckets buckets;
  PauseClock pauses;
  MessageQueue messages;  // to the driver
  Watcher watcher;
  LeftWords left_words{RunWithin};

  // Sends an Envelope of this application's executor, which `put` fills.
  template <typename Put>
  void Send(const Application& from, Put&& put) {
    proto::Envelope envelope = EnvelopeOf(from.request.executor_id);
    put(&envelope);
    messages.Put(envelope.SerializeAsString());
  }
};

}  // namespace memprof
