#include "eventlog/event_log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "report/event_lines.h"
#include "report/event_log.h"
#include "report/json.h"

namespace memprof {
namespace {

constexpr size_t kPieceBytes = 256 << 10;

Status ReadFile(const std::string& path, EventLines& lines) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Status::Error(ErrorCode::kIo, "cannot open %.200s: %s", path.c_str(), strerror(errno));
  std::vector<char> piece(kPieceBytes);
  ssize_t count = 0;
  while ((count = read(file, piece.data(), piece.size())) > 0) lines.Add({piece.data(), static_cast<size_t>(count)});
  const int error = errno;
  close(file);
  return count < 0 ? Status::Error(ErrorCode::kIo, "cannot read %.200s: %s", path.c_str(), strerror(error)) : Status();
}

}  // namespace

Result<std::string> ReportOfEventLog(const std::vector<std::string>& files) {
  EventLogReport log;
  for (const std::string& path : files) {
    EventLines lines(log);
    if (Status status = ReadFile(path, lines); !status.ok()) return status;
    if (!lines.Finish()) log.IsCut("is cut off in the middle of a line");
  }
  Result<Report> report = log.Make();
  if (!report.ok()) return report.status();
  return WriteReportJson(*report);
}

}  // namespace memprof
