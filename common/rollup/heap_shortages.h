// OutOfMemoryErrors of a JVM, mostly of its heap, as its agent reported them (proto::HeapShortage), in the report's terms.
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

}  // namespace memprof
