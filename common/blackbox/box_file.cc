#include "blackbox/box_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "base/clock.h"

namespace memprof::box {
namespace {

uint64_t AlignUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

// The first bytes of a small file, NUL-terminated; empty when it cannot be read.
void ReadText(const char* path, char* text, size_t size) {
  text[0] = '\0';
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t got = read(fd, text, size - 1);
  close(fd);
  text[got > 0 ? got : 0] = '\0';
}

// Field 22 of /proc/self/stat: clock ticks from boot to the start of the process; with the pid it names a process for good.
uint64_t StartTicks() {
  char text[1024];
  ReadText("/proc/self/stat", text, sizeof text);
  const char* at = strrchr(text, ')');  // the name before it may hold anything
  for (int field = 2; at != nullptr && field < 22; ++field) at = strchr(at + 1, ' ');
  uint64_t ticks = 0;
  if (at != nullptr) {
    for (++at; *at >= '0' && *at <= '9'; ++at) ticks = ticks * 10 + static_cast<uint64_t>(*at - '0');
  }
  return ticks;
}

void ReadBootId(char* text, size_t size) {
  ReadText("/proc/sys/kernel/random/boot_id", text, size);
  text[strcspn(text, "\n")] = '\0';
}

template <size_t N>
void CopyText(char (&to)[N], const char* from) {
  snprintf(to, N, "%s", from == nullptr ? "" : from);
}

// Places the tables one after the other; returns the file's size.
uint64_t Place(const Plan& plan, Table* tables) {
  const Table sizes[kTables] = {
      {0, kSessions, sizeof(SessionSlot)},
      {0, kSessions * kUdfsPerSession, sizeof(Udf)},
      {0, kSessions * kCountersPerSession, sizeof(TwoCopies<Counter>)},
      {0, plan.sites, sizeof(TwoCopies<Site>)},
      {0, plan.nodes, sizeof(Node)},
      {0, plan.frames, sizeof(Frame)},
      {0, plan.modules, sizeof(Module)},
      {0, plan.string_bytes, 1},
      {0, 1, sizeof(TwoCopies<RssMoment>)},
      {0, 2 * kRssRowsPerMoment, sizeof(RssRow)},
      {0, kIncidentKinds, sizeof(TwoCopies<Incident>)},
  };
  uint64_t end = kHeaderBytes;
  for (uint32_t kind = 0; kind < kTables; ++kind) {
    tables[kind] = sizes[kind];
    tables[kind].offset = AlignUp(end, 64);
    end = tables[kind].offset + uint64_t{tables[kind].capacity} * tables[kind].record_bytes;
  }
  return AlignUp(end, kHeaderBytes);
}

// Names the reason before the folder, because a message that is too long loses its end.
Status Failure(const char* what, const char* path, int error) {
  ErrorCode code = error == ENOSPC || error == ENOMEM || error == EDQUOT ? ErrorCode::kExhausted : ErrorCode::kIo;
  const char* name = strrchr(path, '/');
  const int folder = name == nullptr ? 0 : static_cast<int>(name - path);
  return Status::Error(code, "cannot %s a black box: %s (in %.*s)", what, strerrordesc_np(error), folder, path);
}

}  // namespace

Status BoxFile::Create(const BoxFileOptions& options, BoxFile* file) {
  Header header = {};
  CopyText(header.identity.application_id, options.application_id);
  CopyText(header.identity.executor_id, options.executor_id);
  CopyText(header.identity.python_version, options.python_version);
  ReadBootId(header.identity.boot_id, sizeof header.identity.boot_id);
  header.identity.pid = getpid();
  header.identity.started_by_task = options.started_by_task ? 1 : 0;
  header.identity.process_start_ticks = StartTicks();
  header.identity.interval_bytes = options.interval_bytes;
  header.identity.created_ms = EpochMs();
  header.version = kVersion;
  header.header_bytes = kHeaderBytes;
  header.file_bytes = Place(options.plan, header.tables);
  header.committed.intern_epoch = 1;

  uint64_t random = static_cast<uint64_t>(MonotonicNs());
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0) random = Mix64(random ^ static_cast<uint64_t>(getpid()));
  char name[kMaxNameBytes];
  MakeName(name, header.identity.application_id, header.identity.executor_id, header.identity.boot_id, header.identity.pid,
           header.identity.process_start_ticks, random);
  int length = snprintf(file->path, sizeof file->path, "%s/%s", options.directory, name);
  if (length < 0 || static_cast<size_t>(length) >= sizeof file->path) {
    return Status::Error(ErrorCode::kInvalidArgument, "the black box's path is too long: %.100s/...", options.directory);
  }

  const int fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd < 0) return Failure("create", file->path, errno);
  const char* step = "set the mode of";
  int error = fchmod(fd, S_IRUSR | S_IWUSR) == 0 ? 0 : errno;  // a default ACL or umask may have taken rights away
  if (error == 0) {
    // Allocates every block now: a full disk must be an error here, not SIGBUS inside a malloc of the host.
    step = "allocate";
    do {
      error = posix_fallocate(fd, 0, static_cast<off_t>(header.file_bytes));
    } while (error == EINTR);
  }
  if (error == 0) {
    step = "lock";
    struct flock whole = {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    error = fcntl(fd, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
  }
  if (error == 0) {
    step = "map";
    void* base = mmap(nullptr, header.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    error = base == MAP_FAILED ? errno : 0;
    if (error == 0) file->base = static_cast<char*>(base);
  }
  if (error != 0) {
    unlink(file->path);
    close(fd);
    return Failure(step, file->path, error);
  }
  file->bytes = header.file_bytes;
  file->lock.Take(fd);

  header.magic = kMagic;
  header.checksum = HeaderChecksum(header);
  memcpy(file->base + sizeof header.magic, reinterpret_cast<char*>(&header) + sizeof header.magic, sizeof header - sizeof header.magic);
  __atomic_store_n(&file->header().magic, kMagic, __ATOMIC_RELEASE);
  return {};
}

void BoxFile::Close() {
  if (base != nullptr) munmap(base, bytes);
  base = nullptr;
  lock.Close();
}

void BoxFile::Remove() { unlink(path); }

}  // namespace memprof::box
