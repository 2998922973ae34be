// Two runs of one job side by side: the lines of the user's code whose memory changed, and the sums. This is the only place that
// compares two reports; comparison_text and comparison_json write the result. Pure function.
//
// A line is identified by its UDF, file, function and text, so it stays the same when an edit above moves it. It is identified by
// its number where a text of the function is unknown or redacted on either side. A file that lies in another folder in the other run is
// known by the end of its path. Its live bytes are the most that any one task
// held, over all stages; its allocated bytes are summed over all stages. Other attempts are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/model.h"

namespace memprof {

// Of one report; nothing where the line isn't in it or wasn't measured.
struct ComparedFigures {
  uint32_t line = 0;
  uint64_t allocated_bytes = 0;
  std::optional<uint64_t> live_at_peak_bytes;
  std::optional<uint64_t> error_bytes;  // two standard deviations: of live at peak, or of allocated where live is null
};

struct ComparedLine {
  std::optional<ReportUdf> udf;
  bool is_pysparks = true;
  std::string function, file, source;
  std::optional<ComparedFigures> before, after;

  std::optional<int64_t> live_change() const;  // nothing where it was not measured on a side that has the line
  int64_t allocated_change() const;
};

struct ComparedSum {
  const char* name;  // what it is, for people
  const char* key;   // and for programs
  bool is_bytes;
  std::optional<uint64_t> before, after;
};

struct Comparison {
  ReportApplication before, after;
  std::vector<ComparedSum> sums;
  // A stage lists its heaviest lines only: what one side lacks may have been too light there to be listed.
  std::vector<ComparedLine> lines;  // by how much their live bytes changed, then by what they allocated; unchanged ones are left out
};

Comparison Compare(const Report& before, const Report& after);

}  // namespace memprof
