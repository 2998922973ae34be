// ReportFileWriter: the two files of a report, report.json and report.html. The second holds the text of the first, so that it is made
// once where the JSON is written first. Not thread-safe.
#pragma once

#include <string>

#include "base/text_sink.h"
#include "report/model.h"

namespace memprof {

class ReportFileWriter {
 public:
  explicit ReportFileWriter(const Report& report) : report_(report) {}

  // Both throw what `to` throws, and std::bad_alloc; what is written is then incomplete. The writer keeps the text as the HTML file holds
  // it, if there is memory for that: less than 1 MiB, or packed to some tenth of its size.
  void WriteJson(TextSink& to);
  void WriteHtml(TextSink& to);

 private:
  const Report& report_;
  std::string element_;  // of the HTML file; "": not made yet
};

}  // namespace memprof
