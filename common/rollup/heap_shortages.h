// OutOfMemoryErrors of a JVM's heap, as its agent reported them (proto::HeapShortage), in the report's terms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/memprof.pb.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

ReportHeapShortage ShortageRow(const proto::HeapShortage& shortage);
// Where the thread asked, outermost call first.
std::vector<ReportFrame> ShortageStack(const proto::HeapShortage& shortage);

// An executor's last walk of a heap that had stayed nearly full, without an error; nothing when there was none.
std::optional<ReportHeapShortage> NearlyFullHeap(std::string_view executor_id, const StoreState& state);

// visit(executor's id, proto::HeapShortage), in the order of executors and times, without nearly full heaps.
template <typename Visit>
void ForEachShortage(const StoreState& state, Visit visit) {
  for (const auto& [key, bytes] : state.heap_shortages) {
    proto::HeapShortage shortage;
    if (shortage.ParseFromString(bytes) && !shortage.nearly_full()) visit(std::get<0>(key), shortage);
  }
}

}  // namespace memprof
