// Reads Spark's event log, a JSON object a line, and hands what is ours to an EventLogReport. Text may come in pieces of any size; most
// lines are not ours and are not parsed. Lines may be of any length and hold anything. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "eventlog/event_log.h"

namespace memprof {

class EventLines {
 public:
  explicit EventLines(EventLogReport& report) : report_(report) {}

  void Add(std::string_view piece);

  // No more comes; returns true when the last line has its end, as every line that Spark has finished.
  bool Finish();

 private:
  void Line(std::string_view line);

  EventLogReport& report_;
  std::string line_;       // begun in an earlier piece
  bool skipping_ = false;  // it is too long to be ours
};

}  // namespace memprof
