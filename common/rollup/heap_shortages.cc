#include "rollup/heap_shortages.h"

#include "rollup/retained.h"

namespace memprof {

ReportHeapShortage ShortageRow(const proto::HeapShortage& shortage) {
  ReportHeapShortage row;
  row.time_ms = shortage.time_ms();
  row.error = shortage.error();
  row.thread = shortage.thread();
  row.errors = shortage.errors();
  if (shortage.classes_size() != 0) {
    row.total_bytes = shortage.total_bytes();
    row.total_objects = shortage.total_objects();
  }
  row.cut_short = shortage.cut_short();
  for (const proto::HeapClass& each : shortage.classes()) row.classes.push_back({each.name(), each.bytes(), each.objects()});
  row.other_classes = shortage.other_classes();
  row.other_bytes = shortage.other_bytes();
  for (const proto::NamedBytes& region : shortage.regions()) row.regions.push_back({region.name(), region.bytes()});
  return row;
}

std::optional<ReportHeapShortage> NearlyFullHeap(std::string_view executor_id, const StoreState& state) {
  std::optional<ReportHeapShortage> last;
  ForEachShortageIn(std::string(executor_id), state.heap_shortages, [&](const proto::HeapShortage& shortage) {
    if (shortage.nearly_full() && shortage.classes_size() != 0) last = ShortageRow(shortage);
  });
  return last;
}

std::vector<ReportFrame> ShortageStack(const proto::HeapShortage& shortage) { return FramesOf(shortage.names(), shortage.stack()); }

}  // namespace memprof
