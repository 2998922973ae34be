// GcFigures: what each of the JVM's collectors has done since Begin(), by the names of its MXBeans. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "gc/collection.h"
#include "proto/memprof.pb.h"

namespace memprof {

class GcFigures {
 public:
  static constexpr size_t kMaxCollectors = 16, kMaxCauses = 12;  // further ones are "other"

  void Begin();
  void Ended(const Collection& collection);
  void Describe(proto::ExecutorSnapshot* snapshot) const;

 private:
  struct Figures {
    uint64_t collections = 0, longest_ms = 0, total_ms = 0, longest_before_bytes = 0, longest_after_bytes = 0;
    Collection last;
    std::map<std::string, uint64_t> causes;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Figures> collectors_;
};

}  // namespace memprof
