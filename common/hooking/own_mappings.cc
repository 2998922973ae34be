#include "hooking/own_mappings.h"

#include <algorithm>
#include <iterator>

namespace memprof {

bool MapsForItself(std::string_view path) {
  // In the file's name (libscipy_openblas64_-ff651d7f.so, libjemalloc.so.2), or in its folder's (Debian's openblas-pthread/libblas.so.3).
  constexpr std::string_view kNames[] = {"openblas", "jemalloc", "mimalloc", "tcmalloc", "tbbmalloc"};
  const size_t name = path.rfind('/');
  const size_t folder = name == path.npos || name == 0 ? path.npos : path.rfind('/', name - 1);
  std::string_view end = path;
  if (folder != path.npos) end.remove_prefix(folder + 1);
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view known) { return end.find(known) != end.npos; });
}

}  // namespace memprof
