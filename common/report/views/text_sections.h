// Sections of the terminal view, and how much each shows.
#pragma once

#include <cstddef>

#include "report/model.h"
#include "report/views/text_page.h"

namespace memprof {

inline constexpr size_t kFigureColumns = 12;

// How many rows there are at most of each kind.
struct TextDetail {
  size_t executors, processes, stages, lines, paths, jvm_sites, deaths, death_lines, leaks, cached;
};
inline constexpr TextDetail kFull{SIZE_MAX, 6, SIZE_MAX, 12, 2, 5, SIZE_MAX, 30, 20, 10};
inline constexpr TextDetail kBrief{4, 0, 3, 3, 1, 1, 2, 4, 2, 0};  // the driver's log, which has each death already

void PutExecutors(const Report& report, const TextDetail& detail, TextPage& page);
void PutStages(const Report& report, const TextDetail& detail, TextPage& page);

}  // namespace memprof
