#include "jni/report_files.h"

#include "base/text_sink.h"
#include "report/views/report_file_writer.h"
#include "report/views/views.h"
#include "system/private_file.h"

namespace memprof {
namespace {

constexpr int kTextColumns = 100, kTextLines = 25;  // as StoreReport.java

}  // namespace

Status WriteReportFiles(const Report& report, const std::string& directory) {
  if (directory.empty()) return Status::Error(ErrorCode::kUnsupported, "native code has no directory for it");
  ReportFileWriter files(report);
  {
    StringSink json;
    files.WriteJson(json);
    const Status status = WritePrivateFile(directory + "/report.json", json.text);
    if (!status.ok()) return status;
  }
  StringSink page;
  files.WriteHtml(page);
  return WritePrivateFile(directory + "/report.html", page.text);
}

std::string SummaryOf(const Report& report) {
  TextOptions options;
  options.width = kTextColumns;
  options.max_lines = kTextLines;
  return RenderText(report, options);
}

}  // namespace memprof
