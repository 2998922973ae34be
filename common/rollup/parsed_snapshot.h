// ParsedSnapshot: a copy of what an executor's agent sent, all of it joined. Its parts share blocks of memory, for a report reads
// thousands of them.
#pragma once

#include <google/protobuf/arena.h>

#include "facts/facts.h"
#include "proto/memprof.pb.h"

namespace memprof {

class ParsedSnapshot {
 public:
  explicit ParsedSnapshot(const ExecutorFacts& executor);  // empty if nothing came

  proto::ExecutorSnapshot& operator*() const { return *snapshot_; }
  proto::ExecutorSnapshot* operator->() const { return snapshot_; }

 private:
  google::protobuf::Arena arena_;
  proto::ExecutorSnapshot* const snapshot_;
};

}  // namespace memprof
