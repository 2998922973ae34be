#include "jni/report_files.h"

#include "base/text_sink.h"
#include "report/json.h"
#include "report/views/views.h"
#include "system/private_file.h"

namespace memprof {
namespace {

constexpr int kTextColumns = 100, kTextLines = 25;  // as StoreReport.java

}  // namespace

Status WriteReportFiles(const Report& report, const std::string& directory) {
  if (directory.empty()) return Status::Error(ErrorCode::kUnsupported, "native code has no directory for it");
  const Status status = WritePrivateFile(directory + "/report.json", WriteReportJson(report));
  if (!status.ok()) return status;
  StringSink page;
  RenderHtml(report, page);
  return WritePrivateFile(directory + "/report.html", page.text);
}

std::string SummaryOf(const Report& report) {
  TextOptions options;
  options.width = kTextColumns;
  options.max_lines = kTextLines;
  return RenderText(report, options);
}

}  // namespace memprof
