#include "system/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "system/text_file.h"

namespace memprof {
namespace {

// Bytes read from the start; -1: it can't be read any more.
ssize_t ReadFromStart(int descriptor, char* buffer, size_t size) {
  if (descriptor < 0) return -1;
  ssize_t got;
  do {
    got = pread(descriptor, buffer, size, 0);
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

KeptFile::KeptFile(std::string path) : path_(std::move(path)) { descriptor_.Take(open(path_.c_str(), O_RDONLY | O_CLOEXEC)); }

KeptFile::~KeptFile() { descriptor_.Close(); }

// The kernel gives such a file whole if the buffer is large enough.
Result<std::string> KeptFile::ReadText() const {
  char buffer[8192];
  const ssize_t got = ReadFromStart(descriptor_.Get(), buffer, sizeof buffer);
  if (got < 0 || static_cast<size_t>(got) == sizeof buffer) return ReadTextFile(path_);
  return std::string(buffer, static_cast<size_t>(got));
}

Result<uint64_t> KeptFile::ReadNumber() const {
  char buffer[64];
  const ssize_t got = ReadFromStart(descriptor_.Get(), buffer, sizeof buffer);
  const std::optional<uint64_t> number =
      got < 0 ? ReadNumberFile(path_) : NumberInFirstLine(std::string_view(buffer, static_cast<size_t>(got)));
  if (!number) return Status::Error(ErrorCode::kIo, "cannot read %s", path_.c_str());
  return *number;
}

}  // namespace memprof
