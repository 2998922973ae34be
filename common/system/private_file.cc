#include "system/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/write_all.h"

namespace memprof {
namespace {

Status IoError(const char* what, const std::string& path) {
  return Status::Error(ErrorCode::kIo, "cannot %s %s: %s", what, path.c_str(), strerror(errno));
}

// `path` without slashes at its end. Returns 0, or errno.
int MakeDirectory(const std::string& path, mode_t mode) {
  if (mkdir(path.c_str(), mode) == 0) return 0;
  if (errno != ENOENT) return errno;
  const size_t slash = path.find_last_of('/');
  const size_t end = slash == std::string::npos ? slash : path.find_last_not_of('/', slash);
  if (end == std::string::npos) return ENOENT;
  const int error = MakeDirectory(path.substr(0, end + 1), 0777);
  if (error != 0 && error != EEXIST) return error;
  return mkdir(path.c_str(), mode) == 0 ? 0 : errno;
}

Status Corrupt(const std::string& path, const char* why) { return Status::Error(ErrorCode::kCorrupt, "%s %s", path.c_str(), why); }

Status ReadFrom(int file, const std::string& path, uint64_t most_bytes, std::string* bytes) {
  struct stat info;
  if (fstat(file, &info) != 0) return IoError("look at", path);
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid()) return Corrupt(path, "is no file of this user");
  if (info.st_size < 0 || static_cast<uint64_t>(info.st_size) > most_bytes) return Corrupt(path, "is larger than what is ever written");
  bytes->resize(static_cast<size_t>(info.st_size));
  for (size_t at = 0; at < bytes->size();) {
    const ssize_t count = read(file, bytes->data() + at, bytes->size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return IoError("read", path);
    if (count == 0) return Corrupt(path, "got shorter while it was read");
    at += static_cast<size_t>(count);
  }
  return {};
}

}  // namespace

Status WritePrivateFile(const std::string& path, std::string_view bytes) {
  const std::string draft = path + ".draft";
  unlink(draft.c_str());
  const int file = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return IoError("make", draft);
  Status status;
  if (!WriteAll(file, bytes)) status = IoError("write", draft);
  close(file);
  if (status.ok() && rename(draft.c_str(), path.c_str()) != 0) status = IoError("rename", draft);
  if (!status.ok()) unlink(draft.c_str());
  return status;
}

Result<std::string> ReadPrivateFile(const std::string& path, uint64_t most_bytes) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return IoError("open", path);
  std::string bytes;
  const Status status = ReadFrom(file, path, most_bytes, &bytes);
  close(file);
  if (!status.ok()) return status;
  return bytes;
}

Status MakePrivateDirectory(const std::string& path) {
  const int error = MakeDirectory(path.substr(0, path.find_last_not_of('/') + 1), 0700);
  if (error == 0) return {};
  errno = error;
  if (error != EEXIST) return IoError("make", path);
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return IoError("look at", path);
  if (info.st_uid != geteuid()) {
    return Status::Error(ErrorCode::kIo, "%s belongs to user %u, not to user %u", path.c_str(), info.st_uid, geteuid());
  }
  if (!S_ISDIR(info.st_mode) || (info.st_mode & 077) != 0) {
    return Status::Error(ErrorCode::kIo, "%s is not a directory of ours with mode 0700", path.c_str());
  }
  return {};
}

}  // namespace memprof
