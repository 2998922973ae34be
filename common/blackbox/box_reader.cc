#include "blackbox/box_reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/valid_utf8.h"
#include "blackbox/box_name.h"
#include "blackbox/box_reader_state.h"
#include "blackbox/session_assembler.h"

namespace memprof {
namespace {

using box::TwoCopies;

constexpr uint64_t kMostFileBytes = 64u << 20;  // a reader's memory is bounded by the file's size
constexpr uint32_t kRecordBytes[box::kTables] = {
    sizeof(box::SessionSlot),
    sizeof(box::Udf),
    sizeof(TwoCopies<box::Counter>),
    sizeof(TwoCopies<box::Site>),
    sizeof(box::Node),
    sizeof(box::Frame),
    sizeof(box::Module),
    1,
    sizeof(TwoCopies<box::RssMoment>),
    sizeof(box::RssRow),
    sizeof(TwoCopies<box::Incident>),
};

template <size_t N>
std::string Text(const char (&text)[N]) {
  return std::string(text, strnlen(text, N));
}

bool Overlap(const box::Table (&tables)[box::kTables]) {
  box::Table sorted[box::kTables];
  std::copy(std::begin(tables), std::end(tables), sorted);
  std::sort(std::begin(sorted), std::end(sorted), [](const box::Table& a, const box::Table& b) { return a.offset < b.offset; });
  for (uint32_t i = 1; i < box::kTables; ++i) {
    const box::Table& before = sorted[i - 1];
    if (sorted[i].offset - before.offset < uint64_t{before.capacity} * before.record_bytes) return true;
  }
  return false;
}

bool Printable(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

// For messages, which have room for 255 bytes: the reason matters more than the folders.
std::string EndOf(const std::string& path) {
  constexpr size_t kMost = 140;
  return path.size() <= kMost ? path : "..." + path.substr(path.size() - kMost);
}

}  // namespace

// ---- opening

Result<BoxReader> BoxReader::Open(const std::string& path) {
  const std::string named = EndOf(path);
  const char* name = named.c_str();
  // O_NONBLOCK: a pipe in the box's place must not make us wait for its other end.
  int fd = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    return Status::Error(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, "cannot open black box %s: %s", name,
                         strerrordesc_np(errno));
  }
  BoxReader reader(new Impl());
  Impl& impl = *reader.impl_;
  impl.path = path;
  impl.fd = fd;

  struct stat status;
  if (fstat(fd, &status) != 0) return Status::Error(ErrorCode::kIo, "cannot stat black box %s: %s", name, strerrordesc_np(errno));
  if (!S_ISREG(status.st_mode)) return Status::Error(ErrorCode::kCorrupt, "%s is no black box: not a regular file", name);
  if (status.st_uid != geteuid()) {
    return Status::Error(ErrorCode::kCorrupt, "black box %s belongs to uid %u, not to us", name, static_cast<unsigned>(status.st_uid));
  }
  if ((status.st_mode & 07777) != (S_IRUSR | S_IWUSR)) {
    return Status::Error(ErrorCode::kCorrupt, "black box %s has mode %o instead of 600", name,
                         static_cast<unsigned>(status.st_mode & 07777));
  }
  uint64_t bytes = static_cast<uint64_t>(status.st_size);
  box::Header& header = impl.header;
  if (bytes == 0) return Status::Error(ErrorCode::kNotFound, "black box %s is not written yet", name);
  if (bytes < box::kHeaderBytes || bytes > kMostFileBytes || !impl.ReadAt(0, &header, sizeof header)) {
    return Status::Error(ErrorCode::kCorrupt, "%s is no black box: %llu bytes", name, static_cast<unsigned long long>(bytes));
  }
  if (header.magic == 0) return Status::Error(ErrorCode::kNotFound, "black box %s is not written yet: no magic", name);
  if (header.magic != box::kMagic) return Status::Error(ErrorCode::kCorrupt, "%s is no black box: no magic", name);
  if (header.version != box::kVersion || header.header_bytes != box::kHeaderBytes) {
    return Status::Error(ErrorCode::kUnsupported, "black box %s has version %u; this is version %u", name, header.version, box::kVersion);
  }
  if (header.checksum != box::HeaderChecksum(header)) {
    return Status::Error(ErrorCode::kCorrupt, "the header of black box %s is corrupt", name);
  }
  if (header.file_bytes > bytes) return impl.Unread();
  for (uint32_t kind = 0; kind < box::kTables; ++kind) {
    const box::Table& table = header.tables[kind];
    // Capacity times record size cannot overflow: both are 32 bits wide.
    bool fits = table.record_bytes == kRecordBytes[kind] && table.offset >= box::kHeaderBytes && table.offset <= header.file_bytes &&
                uint64_t{table.capacity} * table.record_bytes <= header.file_bytes - table.offset;
    if (!fits) return Status::Error(ErrorCode::kCorrupt, "black box %s: table %u does not fit into the file", name, kind);
  }
  if (Overlap(header.tables)) return Status::Error(ErrorCode::kCorrupt, "black box %s: its tables overlap", name);
  bool counts = header.tables[box::kSessionTable].capacity == box::kSessions &&
                header.tables[box::kUdfTable].capacity == box::kSessions * box::kUdfsPerSession &&
                header.tables[box::kCounterTable].capacity == box::kSessions * box::kCountersPerSession &&
                header.tables[box::kRssMomentTable].capacity == 1 &&
                header.tables[box::kRssRowTable].capacity == 2 * box::kRssRowsPerMoment &&
                header.tables[box::kIncidentTable].capacity == box::kIncidentKinds;
  if (!counts) return Status::Error(ErrorCode::kCorrupt, "black box %s: its tables of fixed size have another", name);

  impl.identity.application_id = Text(header.identity.application_id);
  impl.identity.executor_id = Text(header.identity.executor_id);
  impl.identity.boot_id = Text(header.identity.boot_id);
  impl.identity.python_version = Text(header.identity.python_version);
  impl.identity.pid = header.identity.pid;
  impl.identity.started_by_task = header.identity.started_by_task != 0;
  impl.identity.process_start_ticks = header.identity.process_start_ticks;
  impl.identity.interval_bytes = header.identity.interval_bytes;
  if (!Printable(impl.identity.application_id) || !Printable(impl.identity.executor_id) || !Printable(impl.identity.boot_id) ||
      !Printable(impl.identity.python_version)) {
    return Status::Error(ErrorCode::kCorrupt, "the header of black box %s holds control characters", name);
  }
  return reader;
}

BoxReader::BoxReader(Impl* impl) : impl_(impl) {}
BoxReader::BoxReader(BoxReader&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
BoxReader& BoxReader::operator=(BoxReader&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}
BoxReader::~BoxReader() { delete impl_; }

const BoxIdentity& BoxReader::identity() const { return impl_->identity; }

const BoxWork& BoxReader::work() const { return impl_->work; }

Status BoxReader::WorthIt() const { return impl_->work.beyond() ? impl_->GivenUp() : Status(); }

bool BoxReader::OwnerAlive() const {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(impl_->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// ---- sessions

std::vector<BoxReader::SessionKey> BoxReader::Sessions() const {
  std::vector<SessionKey> keys;
  std::vector<box::SessionSlot> slots;
  if (!impl_->ReadTable(box::kSessionTable, 0, box::kSessions, &slots)) return keys;
  int rereads = kMostRereads;
  for (uint32_t slot = 0; slot < box::kSessions; ++slot) {
    const auto* copy = impl_->Newest(box::kSessionTable, slot, slots[slot], &rereads);
    if (copy == nullptr || copy->value.number == 0 || copy->value.state == box::kFree) continue;
    keys.push_back({copy->value.number, copy->value.task_attempt_id, copy->value.state == box::kClosed,
                    slots[slot].acknowledged == copy->value.number});
  }
  std::sort(keys.begin(), keys.end(), [](const SessionKey& a, const SessionKey& b) { return a.number < b.number; });
  return keys;
}

Result<RssRows> BoxReader::ReadRssRows() const {
  constexpr uint64_t kMostBytes = uint64_t{1} << 56;
  const auto none = [&] { return Status::Error(ErrorCode::kNotFound, "black box %s has no rows of its process", impl_->path.c_str()); };
  int rereads = kMostRereads;
  const auto read_moment = [&](box::RssMoment* moment) {
    std::vector<TwoCopies<box::RssMoment>> moments;
    *moment = {};
    if (!impl_->ReadTable(box::kRssMomentTable, 0, 1, &moments)) return false;
    if (const auto* copy = impl_->Newest(box::kRssMomentTable, 0, moments[0], &rereads)) *moment = copy->value;
    return true;
  };
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    box::RssMoment moment, after;
    std::vector<box::RssRow> rows;
    if (!read_moment(&moment)) return impl_->Unread();
    if (moment.number == 0 || moment.rows > box::kRssRowsPerMoment || moment.rss_bytes > kMostBytes) return none();
    const uint32_t first = moment.number % 2 == 0 ? 0 : box::kRssRowsPerMoment;
    if (!impl_->ReadTable(box::kRssRowTable, first, moment.rows, &rows) || !read_moment(&after)) return impl_->Unread();
    if (after.number != moment.number) continue;
    RssRows out;
    out.rss_bytes = moment.rss_bytes;
    out.time_ms = moment.time_ms;
    for (uint32_t i = 0; i < moment.rows; ++i) {
      const box::RssRow& row = rows[i];
      if (row.moment != moment.number || row.check != box::CheckOf(row, first + i) || row.bytes > kMostBytes) return none();
      out.rows.push_back({ValidUtf8(Text(row.name)), row.bytes});
    }
    return out;
  }
  return none();
}

std::vector<BoxFrame> BoxReader::NewNativeFrames(FrameMark* mark) const {
  box::Committed committed = {}, after = {};
  if (!impl_->ReadCommitted(&committed)) return {};
  FrameMark from = *mark;
  if (from.intern_epoch != committed.intern_epoch || from.frames > committed.frames) from = {committed.intern_epoch, 0};
  BoxSession out;
  SessionAssembler assembler(&out, &impl_->work);
  const uint32_t count = committed.frames - from.frames;
  if (count == 0 || !impl_->ReadTable(box::kFrameTable, from.frames, count, &assembler.frames) ||
      !impl_->ReadTable(box::kModuleTable, 0, committed.modules, &assembler.modules) ||
      !impl_->ReadTable(box::kStringTable, 0, committed.string_bytes, &assembler.strings) || !impl_->ReadCommitted(&after) ||
      after.intern_epoch != committed.intern_epoch) {
    return {};
  }
  *mark = {committed.intern_epoch, committed.frames};
  std::vector<BoxFrame> frames;
  for (uint32_t i = 0; i < count && !impl_->work.beyond(); ++i) {
    ++impl_->work.records;
    const box::Frame& frame = assembler.frames[i];
    if (frame.language != static_cast<uint32_t>(Language::kNative) || frame.check != box::CheckOf(frame, from.frames + i + 1)) continue;
    frames.push_back(assembler.FrameOf(frame));
  }
  if (impl_->work.beyond()) return {};
  return frames;
}

Status BoxReader::Acknowledge(uint64_t number) {
  SessionView view;
  if (!impl_->ReadView(number, &view)) return impl_->Unread();
  if (!view.found || view.session.state != box::kClosed) {
    return Status::Error(ErrorCode::kNotFound, "black box %s has no closed session %llu", impl_->path.c_str(),
                         static_cast<unsigned long long>(number));
  }
  uint64_t offset = impl_->header.tables[box::kSessionTable].offset + uint64_t{view.slot} * sizeof(box::SessionSlot) +
                    offsetof(box::SessionSlot, acknowledged);
  // If the slot was recycled just now, its next session has another number, and the old number here has no effect.
  ssize_t put = pwrite(impl_->fd, &number, sizeof number, static_cast<off_t>(offset));
  if (put == sizeof number) return {};
  return Status::Error(ErrorCode::kIo, "cannot acknowledge session %llu in black box %s: %s", static_cast<unsigned long long>(number),
                       impl_->path.c_str(), strerrordesc_np(errno));
}

std::vector<std::string> ListBoxes(const std::string& directory, const std::string& application_id) {
  std::vector<std::string> paths;
  DIR* stream = opendir(directory.c_str());
  if (stream == nullptr) return paths;
  while (dirent* entry = readdir(stream)) {
    if (box::NameBelongsTo(entry->d_name, application_id)) paths.push_back(directory + "/" + entry->d_name);
  }
  closedir(stream);
  return paths;
}

}  // namespace memprof
