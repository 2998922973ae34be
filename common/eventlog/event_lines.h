// Reads Spark's event log, one JSON object for each line, and passes our events to an EventLogReport. Text may come in pieces of
// any size. Most lines are not ours and are not parsed. Lines may have any length and content. Not thread-safe.
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

  // The text has ended; returns true when the last line is complete, as every line that Spark has finished is.
  bool Finish();

 private:
  void Line(std::string_view line);

  EventLogReport& report_;
  std::string line_;       // a line begun in an earlier piece
  bool skipping_ = false;  // the line is too long to be ours
};

}  // namespace memprof
