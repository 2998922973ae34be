#include "eventlog/files/event_log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "eventlog/event_lines.h"
#include "eventlog/event_log.h"
#include "eventlog/files/decoder.h"
#include "report/json.h"

namespace memprof {
namespace {

constexpr size_t kPieceBytes = 256 << 10;

// Passes `file` to `log` as far as it can be read; if it is truncated, `log` reports why.
Status ReadFile(const std::string& path, EventLogReport& log) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Status::Error(ErrorCode::kIo, "cannot open %.200s: %s", path.c_str(), strerror(errno));
  EventLines lines(log);
  std::unique_ptr<Decoder> decoder;
  std::vector<char> piece(kPieceBytes);
  Status damaged;
  ssize_t count = 0;
  while (damaged.ok() && (count = read(file, piece.data(), piece.size())) > 0) {
    const std::string_view bytes(piece.data(), static_cast<size_t>(count));
    if (!decoder) decoder = DecoderOf(bytes, [&](std::string_view text) { lines.Add(text); });
    damaged = decoder->Add(bytes);
  }
  const int error = errno;
  close(file);
  if (count < 0) return Status::Error(ErrorCode::kIo, "cannot read %.200s: %s", path.c_str(), strerror(error));
  const bool whole_line = lines.Finish();
  if (!damaged.ok()) {
    log.IsCut(damaged.message());
  } else if (!whole_line) {
    log.IsCut("is cut off in the middle of a line");
  } else if (decoder && !decoder->AtEnd()) {
    log.IsCut("is cut off in the middle of a compressed block");
  }
  return {};
}

}  // namespace

Result<std::string> ReportOfEventLog(const std::vector<std::string>& files, std::string_view lacking) {
  EventLogReport log;
  log.Lacks(lacking);
  for (const std::string& path : files) {
    if (Status status = ReadFile(path, log); !status.ok()) return status;
  }
  Result<Report> report = log.Make();
  if (!report.ok()) return report.status();
  return WriteReportJson(*report);
}

}  // namespace memprof
