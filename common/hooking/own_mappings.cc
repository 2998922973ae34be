#include "hooking/own_mappings.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/errno_keeper.h"

namespace memprof {
namespace {

constexpr uint8_t kUnasked = 0, kNo = 1, kYes = 2;

constexpr size_t kMostPath = 768;  // two of them on the host's stack, which may be one of 8 KiB
constexpr int kMostLinks = 8;

// Puts the target of a link into its place; `path` ends with a NUL. False: it is none, or its target can't be read (errno).
bool FollowLink(char (&path)[kMostPath]) {
  char target[kMostPath];
  const long size = syscall(SYS_readlinkat, AT_FDCWD, path, target, sizeof target);
  if (size <= 0) return false;
  const char* slash = target[0] == '/' ? nullptr : strrchr(path, '/');
  const size_t folder = slash == nullptr ? 0 : static_cast<size_t>(slash + 1 - path);
  if (folder + static_cast<size_t>(size) >= sizeof path) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(path + folder, target, static_cast<size_t>(size));
  path[folder + static_cast<size_t>(size)] = '\0';
  return true;
}

// kUnasked: it can't be said now, as where memory is short.
uint8_t AskBehindLinks(std::string_view path) {
  char at[kMostPath];
  if (path.empty() || path.size() >= sizeof at) return kNo;
  memcpy(at, path.data(), path.size());
  at[path.size()] = '\0';
  for (int i = 0; i < kMostLinks; ++i) {
    if (!FollowLink(at)) return errno == ENOMEM || errno == EIO ? kUnasked : kNo;
    if (IsNameOfOwnMapper(at)) return kYes;
  }
  return kNo;
}

}  // namespace

bool IsNameOfOwnMapper(std::string_view path) {
  // In the file's name (libscipy_openblas64_-ff651d7f.so, libjemalloc.so.2), or in its folder's (Debian's openblas-pthread/libblas.so.3).
  constexpr std::string_view kNames[] = {"openblas", "jemalloc", "mimalloc", "tcmalloc", "tbbmalloc"};
  const size_t name = path.rfind('/');
  const size_t folder = name == path.npos || name == 0 ? path.npos : path.rfind('/', name - 1);
  std::string_view end = path;
  if (folder != path.npos) end.remove_prefix(folder + 1);
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view known) { return end.find(known) != end.npos; });
}

bool MapsForItself(ModuleTable::Identity& library) {
  uint8_t answer = library.maps_for_itself.load(std::memory_order_relaxed);
  if (answer == kUnasked) {
    const ErrnoKeeper errno_keeper;
    const std::string_view path(library.path, library.path_size);
    answer = IsNameOfOwnMapper(path) ? kYes : AskBehindLinks(path);
    library.maps_for_itself.store(answer, std::memory_order_relaxed);
  }
  return answer == kYes;
}

}  // namespace memprof
