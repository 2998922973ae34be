// A box file as its reader holds it: tables with bounds, and records that their owner may just be writing.
#pragma once

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "blackbox/box_reader.h"
#include "blackbox/box_work.h"
#include "blackbox/layout.h"

namespace memprof {

inline constexpr int kAttempts = 4;
inline constexpr int kRereads = 8;         // of a record that its owner was just writing
inline constexpr int kMostRereads = 1000;  // by one reader for one session: a corrupt box is not worth more

template <typename T>
const box::TwoCopies<T>& RecordIn(const box::TwoCopies<T>& record) {
  return record;
}
inline const box::TwoCopies<box::Session>& RecordIn(const box::SessionSlot& slot) { return slot.session; }

// Where a session's figures stand at one time.
struct SessionView {
  box::Session session = {};
  uint64_t sequence = 0;
  uint32_t slot = 0;
  bool found = false;
};

struct BoxReader::Impl {
  std::string path;
  int fd = -1;
  box::Header header = {};
  BoxIdentity identity;
  mutable BoxWork work;

  ~Impl() {
    if (fd >= 0) close(fd);
  }

  // False: the file is cut short, or the box has cost more work than it is worth.
  bool ReadAt(uint64_t offset, void* to, size_t bytes) const {
    work.read_bytes += bytes;
    if (work.beyond()) return false;
    char* at = static_cast<char*>(to);
    while (bytes > 0) {
      ssize_t got = pread(fd, at, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      offset += static_cast<uint64_t>(got);
      bytes -= static_cast<size_t>(got);
    }
    return true;
  }

  Status GivenUp() const {
    return Status::Error(ErrorCode::kExhausted,
                         "given up after %llu bytes, %llu bytes of text and %llu records: damaged, or no black box of ours: %s",
                         static_cast<unsigned long long>(work.read_bytes), static_cast<unsigned long long>(work.text_bytes),
                         static_cast<unsigned long long>(work.records), path.c_str());
  }

  // Why a read has failed.
  Status Unread() const {
    if (work.beyond()) return GivenUp();
    return Status::Error(ErrorCode::kIo, "black box %s is shorter than its header says", path.c_str());
  }

  // The first `count` records of a table from `first` on; count + first is within the capacity.
  template <typename T>
  bool ReadTable(box::TableKind kind, uint32_t first, uint32_t count, std::vector<T>* records) const {
    records->resize(count);
    return ReadAt(header.tables[kind].offset + uint64_t{first} * sizeof(T), records->data(), count * sizeof(T));
  }

  // The newest whole copy of a record of a table that was read before, nullptr when there is none. Both copies may be torn
  // where the owner made two updates while we read: such a record is read again by itself.
  template <typename R>
  auto Newest(box::TableKind kind, uint32_t index, R& record, int* rereads) const {
    const uint64_t seed = box::RecordSeed(kind, index);
    const auto* copy = RecordIn(record).Newest(seed);
    for (int tries = 0; tries < kRereads; ++tries) {
      if (copy != nullptr || RecordIn(record).NeverWritten() || *rereads <= 0) break;
      if (!ReadAt(header.tables[kind].offset + uint64_t{index} * sizeof(R), &record, sizeof record)) break;
      copy = RecordIn(record).Newest(seed);
      --*rereads;
    }
    return copy;
  }

  bool ReadCommitted(box::Committed* committed) const {
    if (!ReadAt(offsetof(box::Header, committed), committed, sizeof *committed)) return false;
    // A count is hostile until it is within its table.
    auto bound = [this](uint32_t count, box::TableKind kind) { return std::min(count, header.tables[kind].capacity); };
    committed->frames = bound(committed->frames, box::kFrameTable);
    committed->nodes = bound(committed->nodes, box::kNodeTable);
    committed->modules = bound(committed->modules, box::kModuleTable);
    committed->string_bytes = bound(committed->string_bytes, box::kStringTable);
    return true;
  }

  bool ReadView(uint64_t number, SessionView* view) const {
    *view = {};
    std::vector<box::SessionSlot> slots;
    if (!ReadTable(box::kSessionTable, 0, box::kSessions, &slots)) return false;
    int rereads = kMostRereads;
    for (uint32_t slot = 0; slot < box::kSessions && number != 0; ++slot) {
      const auto* copy = Newest(box::kSessionTable, slot, slots[slot], &rereads);
      if (copy == nullptr || copy->value.number != number || copy->value.state == box::kFree) continue;
      *view = {copy->value, copy->sequence, slot, true};
    }
    return true;
  }
};

}  // namespace memprof
