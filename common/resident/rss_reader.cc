// The hot half: what hooks call.
#include "resident/rss_reader.h"

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace memprof {
namespace {

const uint64_t page_bytes = getauxval(AT_PAGESZ);  // asked when the library is loaded

uint64_t NextFigure(const char** at) {
  while (**at == ' ') ++*at;
  uint64_t figure = 0;
  for (; **at >= '0' && **at <= '9'; ++*at) figure = figure * 10 + static_cast<uint64_t>(**at - '0');
  return figure;
}

}  // namespace

RssReader::Sizes RssReader::ReadSizes() const {
  const int file = file_.Get();
  if (file < 0) return {};
  const int saved_errno = errno;
  char text[128];
  const long got = syscall(SYS_pread64, file, text, sizeof text - 1, 0L);
  errno = saved_errno;
  if (got <= 0) return {};
  text[got] = '\0';
  const char* at = text;
  Sizes sizes;
  sizes.virtual_bytes = NextFigure(&at) * page_bytes;
  sizes.resident_bytes = NextFigure(&at) * page_bytes;
  return sizes;
}

}  // namespace memprof
