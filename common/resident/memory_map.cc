#include "resident/memory_map.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/errno_keeper.h"
#include "resident/residency.h"

namespace memprof {
namespace {

constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62, kOfFile = uint64_t{1} << 61;  // of an entry of the page map

const uint64_t page_bytes = getauxval(AT_PAGESZ);  // asked when the library is loaded

// Direct system calls, because libc's functions are cancellation points.
long Open(const char* path) { return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC); }
long Read(long fd, void* to, size_t bytes) { return syscall(SYS_read, fd, to, bytes); }
void Close(long fd) { syscall(SYS_close, fd); }

uintptr_t ParseHex(const char*& at, const char* end) {
  uintptr_t value = 0;
  for (; at < end; ++at) {
    const char c = *at;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    value = value << 4 | static_cast<uintptr_t>(digit);
  }
  return value;
}

void SkipWord(const char*& at, const char* end) {
  while (at < end && *at != ' ') ++at;
  while (at < end && *at == ' ') ++at;
}

// begin-end rwxp offset device inode   name
bool ParseMapping(const char* at, const char* end, Mapping* mapping) {
  *mapping = {};
  mapping->begin = ParseHex(at, end);
  if (at == end || *at != '-') return false;
  ++at;
  mapping->end = ParseHex(at, end);
  if (end - at < 5 || *at != ' ') return false;
  mapping->readable = at[1] == 'r';
  mapping->writable = at[2] == 'w';
  mapping->executable = at[3] == 'x';
  mapping->is_private = at[4] == 'p';
  ++at;
  for (int i = 0; i < 3; ++i) SkipWord(at, end);
  mapping->of_file = at < end && *at != '0';  // the inode
  SkipWord(at, end);
  mapping->name = at;
  mapping->name_size = static_cast<uint32_t>(end - at);
  return true;
}

bool NumberBehind(const char* text, const char* end, const char* key, uint64_t* bytes) {
  const size_t length = strlen(key);
  for (const char* line = text; line < end;) {
    if (static_cast<size_t>(end - line) > length && memcmp(line, key, length) == 0) {
      const char* at = line + length;
      while (at < end && (*at == ' ' || *at == '\t')) ++at;
      uint64_t value = 0;
      for (; at < end && *at >= '0' && *at <= '9'; ++at) value = value * 10 + static_cast<uint64_t>(*at - '0');
      *bytes = value * 1024;
      return true;
    }
    while (line < end && *line != '\n') ++line;
    ++line;
  }
  return false;
}

}  // namespace

bool Mapping::Named(const char* text) const { return name_size == strlen(text) && memcmp(name, text, name_size) == 0; }

bool VisitMappings(MapScratch& scratch, MappingVisitor visitor, void* context) {
  const ErrnoKeeper errno_keeper;
  const long fd = Open("/proc/self/maps");
  if (fd < 0) return false;
  size_t held = 0;
  bool skipping = false, complete = false;  // skipping: the rest of a line that was longer than the buffer
  while (true) {
    const long got = Read(fd, scratch.text + held, sizeof scratch.text - held);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      complete = got == 0;
      break;
    }
    held += static_cast<size_t>(got);
    const char* line = scratch.text;
    const char* const end = scratch.text + held;
    while (line < end) {
      const char* stop = line;
      while (stop < end && *stop != '\n') ++stop;
      const bool whole = stop < end;
      if (!whole && (line != scratch.text || held < sizeof scratch.text)) break;  // the rest is still to come
      Mapping mapping;
      if (!skipping && ParseMapping(line, stop, &mapping)) visitor(mapping, context);
      skipping = !whole;
      line = whole ? stop + 1 : end;
    }
    held = static_cast<size_t>(end - line);
    memmove(scratch.text, line, held);
  }
  Close(fd);
  return complete;
}

bool ReadSharedPages(MapScratch& scratch, SharedPages* pages) {
  const ErrnoKeeper errno_keeper;
  const long fd = Open("/proc/self/status");
  if (fd < 0) return false;
  const long got = Read(fd, scratch.text, sizeof scratch.text);
  Close(fd);
  if (got <= 0) return false;
  const char* end = scratch.text + got;
  return NumberBehind(scratch.text, end, "VmRSS:", &pages->rss_bytes) && NumberBehind(scratch.text, end, "RssFile:", &pages->file_bytes) &&
         NumberBehind(scratch.text, end, "RssShmem:", &pages->shmem_bytes);
}

PageMap::PageMap() {
  const ErrnoKeeper errno_keeper;
  fd_ = Open("/proc/self/pagemap");
}

PageMap::~PageMap() {
  const ErrnoKeeper errno_keeper;
  if (fd_ >= 0) Close(fd_);
}

uint64_t PageMap::OwnBytes(MapScratch& scratch, uintptr_t begin, uintptr_t end) const {
  return Bytes(scratch, begin, end, kPresent | kOfFile, kPresent);
}

bool PageMap::IsTouched(uintptr_t address) const {
  const ErrnoKeeper errno_keeper;
  uint64_t entry = 0;
  if (syscall(SYS_pread64, fd_, &entry, sizeof entry, static_cast<long>(address / page_bytes * sizeof entry)) == sizeof entry) {
    return (entry & (kPresent | kSwapped)) != 0;
  }
  return ResidentBytes(address, 1) != 0;
}

uint64_t PageMap::PresentBytes(MapScratch& scratch, uintptr_t begin, uintptr_t end) const {
  return Bytes(scratch, begin, end, kPresent, kPresent);
}

uint64_t PageMap::Bytes(MapScratch& scratch, uintptr_t begin, uintptr_t end, uint64_t mask, uint64_t wanted) const {
  const ErrnoKeeper errno_keeper;
  uint64_t pages = 0;
  for (uint64_t page = begin / page_bytes; fd_ >= 0 && page < end / page_bytes;) {
    const uint64_t asked = std::min<uint64_t>(end / page_bytes - page, sizeof scratch.pages / sizeof scratch.pages[0]);
    const long got = syscall(SYS_pread64, fd_, scratch.pages, asked * 8, static_cast<long>(page * 8));
    if (got < 8) break;
    for (long i = 0; i < got / 8; ++i) pages += (scratch.pages[i] & mask) == wanted;
    page += static_cast<uint64_t>(got) / 8;
  }
  return pages * page_bytes;
}

}  // namespace memprof
