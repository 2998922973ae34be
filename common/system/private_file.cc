#include "system/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace memprof {
namespace {

Status IoError(const char* what, const std::string& path) {
  return Status::Error(ErrorCode::kIo, "cannot %s %s: %s", what, path.c_str(), strerror(errno));
}

Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return IoError("write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace

Status WritePrivateFile(const std::string& path, std::string_view bytes) {
  const std::string draft = path + ".draft";
  unlink(draft.c_str());
  const int file = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return IoError("make", draft);
  Status status = WriteAll(file, bytes, draft);
  close(file);
  if (status.ok() && rename(draft.c_str(), path.c_str()) != 0) status = IoError("rename", draft);
  if (!status.ok()) unlink(draft.c_str());
  return status;
}

}  // namespace memprof
