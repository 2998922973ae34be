// How code is called in every view: short names, the file's last part, one form for each kind of frame.
#pragma once

#include <string>
#include <string_view>

#include "report/model.h"

namespace memprof {

// "dir/job.py" -> "job.py".
std::string_view BaseName(std::string_view path);

// "aggregate (job.py:41)".
std::string UdfTitle(const ReportUdf& udf);

// Where a frame is: "averages.py:27", "Unsafe.java:632", "libarrow.so.2000"; "" when nothing is known.
std::string FramePlace(const ReportFrame& frame);

// What a frame runs: "weighted_average", "UnsafeRow.copy", or module+offset for native code without a name.
std::string FrameTitle(const ReportFrame& frame);

// The frame a site is known by: its innermost Python frame; where there is none, the innermost one outside of the JDK's
// and Spark's own allocation helpers; nullptr without frames.
const ReportFrame* LeadFrame(const ReportSite& site);

}  // namespace memprof
