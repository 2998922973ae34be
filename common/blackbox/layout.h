// Black box, version 8: the file that outlives SIGKILL. Little-endian, natural alignment, one process writes it through a
// shared mapping, any number of processes read it with pread. Every offset is from the start of the file.
//
//   0        Header (one page of 4096 bytes)
//            |  0 magic "SPMEMBX1"   8 version u32  12 header bytes u32  16 file bytes u64
//            | 24 checksum u64 of what stands before `Committed`, itself taken as 0
//            | 32 Identity: application, executor, boot id, Python version, pid, who started it, start ticks, interval, created
//            |    Table[11]: offset u64, capacity u32, record bytes u32; in the order of TableKind
//            |    Committed, on a cache line of its own: intern epoch, frames, nodes, modules, string bytes (u32 each)
//   4096     sessions   SessionSlot[]                  slot 0 is the process-level session
//            udfs       Udf[sessions * kUdfsPerSession]
//            counters   TwoCopies<Counter>[sessions * kCountersPerSession]
//            sites      TwoCopies<Site>[]              the last `sessions` of them are the sessions' overflow sites
//            nodes      Node[]                         stacks as a trie: a node is a frame called from its parent
//            frames     Frame[]
//            modules    Module[]
//            strings    bytes: at a reference r: size u32, check u32, text, padding to 4
//            moment     TwoCopies<RssMoment>[1]         when the process's rows were measured, and how many there are
//            rows       RssRow[2 * kRssRowsPerMoment]   of a moment with an odd number the second half, otherwise the first
//            incidents  TwoCopies<Incident>[kIncidentKinds]   of each kind the last one
//
// Two kinds of record:
//
//   Mutable ones are `TwoCopies<T>`: two copies, each   checksum u64 | sequence u64 | T.
//   The writer edits the older copy and then gives it the higher sequence and its checksum, so that at every instruction one copy
//   is whole. A reader takes the valid copy with the highest sequence. Both sequences 0: never written.
//   The checksum covers sequence and T and is seeded with table and index, so a copy in a wrong place is invalid.
//
//   Append-only ones (nodes, frames, modules, strings) are written first and then counted in `Committed`; each carries a
//   check of 32 bits. References to them are index + 1, to strings the offset; 0 is "none" and the empty string. A node
//   refers only to nodes before it, so chains end.
//
// The intern epoch changes when the append-only tables are emptied. This happens only while no session other than the
// process-level one refers to them; that one starts again from empty. A session belongs to the epoch that it names.
//
// A closed session carries a seal: the sum of its sites' checksums, mixed with their indexes. Its slot and sites stay
// untouched until a reader writes the session's number into the slot's `acknowledged`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blackbox/two_copies.h"
#include "sampling/peak.h"

namespace memprof::box {

inline constexpr uint64_t kMagic = 0x3158424d454d5053;  // "SPMEMBX1"
inline constexpr uint32_t kVersion = 8;
inline constexpr uint32_t kHeaderBytes = 4096;
inline constexpr uint32_t kSessions = 32;  // with the process-level one
inline constexpr uint32_t kUdfsPerSession = 32;
inline constexpr uint32_t kCountersPerSession = 16;
inline constexpr uint32_t kRssRowsPerMoment = 48;
inline constexpr uint32_t kMaxStringBytes = 1024;  // longer texts are cut at a character's start

enum TableKind : uint32_t {
  kSessionTable,
  kUdfTable,
  kCounterTable,
  kSiteTable,
  kNodeTable,
  kFrameTable,
  kModuleTable,
  kStringTable,
  kRssMomentTable,
  kRssRowTable,
  kIncidentTable,
  kTables
};

struct Identity {
  char application_id[128];  // NUL-terminated, cut when longer
  char executor_id[64];
  char boot_id[40];
  char python_version[32];
  int32_t pid;
  uint32_t started_by_task;  // 1: not a worker, but a process that a task has started
  uint64_t process_start_ticks;
  uint64_t interval_bytes;
  int64_t created_ms;
};

struct Table {
  uint64_t offset;
  uint32_t capacity;  // records; bytes for strings
  uint32_t record_bytes;
};

// Each field is stored whole, with release order, after what it counts; read and written through std::atomic_ref.
struct alignas(64) Committed {
  uint32_t intern_epoch;
  uint32_t frames;
  uint32_t nodes;
  uint32_t modules;
  uint32_t string_bytes;
};

struct Header {
  uint64_t magic;  // written last
  uint32_t version;
  uint32_t header_bytes;
  uint64_t file_bytes;
  uint64_t checksum;
  Identity identity;
  Table tables[kTables];
  Committed committed;
};
static_assert(sizeof(Header) <= kHeaderBytes && offsetof(Header, identity) == 32);

// Of everything before `committed` but the checksum itself.
inline uint64_t HeaderChecksum(const Header& header) {
  const char* bytes = reinterpret_cast<const char*>(&header);
  uint64_t start = HashBytes(bytes, offsetof(Header, checksum), kVersion);
  return HashBytes(bytes + offsetof(Header, identity), offsetof(Header, tables) + sizeof header.tables - offsetof(Header, identity), start);
}

enum SessionState : uint32_t { kFree = 0, kOpen = 1, kClosed = 2 };

struct Session {
  uint64_t number;          // 1, 2, ... in the order of opening; 0 = none
  int64_t task_attempt_id;  // -1: process level
  int32_t stage_id, stage_attempt, partition, attempt_number;
  uint32_t state;                // SessionState
  uint32_t intern_epoch;         // the tables its references point into
  int64_t opened_ms, closed_ms;  // since the epoch; opened: when its task became known
  int64_t looked_ms;             // likewise: when the pages of all its large blocks were last looked up; 0 = never
  PeakTotal total;
  uint64_t allocated_bytes;
  uint64_t rss_at_open_bytes, rss_max_bytes;
  uint64_t samples, dropped_sites, dropped_frames, dropped_live, dropped_sessions, evicted_sites, interval_doublings;
  uint32_t udfs, counters;
  uint64_t seal;  // of a closed session
};

// A session's place in the ring. `acknowledged` belongs to the reader.
struct SessionSlot {
  TwoCopies<Session> session;
  uint64_t acknowledged;
};

struct Udf {
  uint64_t session;
  uint32_t name, file, kind;  // strings
  uint32_t line;
  uint32_t is_generator;  // 1: its code is a generator's
  uint32_t check;
};

struct Counter {
  uint64_t session;
  uint64_t value;
  uint32_t name;  // string
  uint32_t reserved;
};

struct Site {
  uint64_t session;  // 0 = free
  uint32_t node;     // reference; 0 = no stack (also for the overflow site)
  uint8_t origin;
  uint8_t sampled;  // 0: every byte was counted
  uint8_t reserved[2];
  uint64_t allocated_bytes, allocations;
  double variance;
  PeakShare share;
};

// What two versions of this library write and read in one file.
static_assert(sizeof(PeakTotal) == 24 && offsetof(PeakTotal, peak) == 8 && offsetof(PeakTotal, epoch) == 16);
static_assert(sizeof(PeakShare) == 72 && offsetof(PeakShare, variance) == 32 && offsetof(PeakShare, epoch) == 48 &&
              offsetof(PeakShare, read_kib_at_peak) == 60 && offsetof(PeakShare, later_kib_at_peak) == 64);

struct Node {
  uint32_t parent, frame;  // references
  uint32_t check;
};

struct Frame {
  uint64_t offset;    // native: in the module's file address space
  uint32_t function;  // string; native: 0
  uint32_t file;      // string; native: reference to a module
  uint32_t line, first_line;
  uint32_t language;  // Language
  uint32_t check;
};

struct Module {
  uint32_t path, build_id;  // strings
  uint32_t check;
};

struct StringHead {
  uint32_t size, check;
};

// The moment of the process's rows (resident/rss_rows.h). Committed after its rows, which are in the half that the moment before
// does not use. A reader checks the moment again after reading the rows.
struct RssMoment {
  uint64_t number;  // 1, 2, ...
  uint64_t rss_bytes;
  int64_t time_ms;  // since the epoch
  uint32_t rows, reserved;
};

struct RssRow {
  uint64_t moment;
  uint64_t bytes;
  char name[72];  // NUL-terminated
  uint64_t check;
};

// An incident of an open session's process. Its place in the table is its kind.
enum IncidentKind : uint32_t { kFatalSignal, kRefusal, kIncidentKinds };

struct Incident {
  uint64_t session;  // that was open, or the process-level one
  int64_t time_ms;   // since the epoch
  uint32_t node;     // reference; 0 = no stack is known
  uint32_t intern_epoch;
  int32_t signal, code;  // of a fatal signal: its number, and si_code
  // For refused memory: bytes requested; the process's address space and resident set at that moment; RLIMIT_AS, 0 = none.
  uint64_t asked_bytes, virtual_bytes, resident_bytes, limit_bytes;
};

// Checks of the append-only records; `reference` is the record's own, so that a record in a wrong place fails too.
inline uint32_t CheckOf(const Node& node, uint32_t reference) {
  return static_cast<uint32_t>(HashPair(HashPair(node.parent, node.frame), (uint64_t{kNodeTable} << 32) + reference));
}
inline uint32_t CheckOf(const Frame& frame, uint32_t reference) {
  return static_cast<uint32_t>(HashBytes(&frame, offsetof(Frame, check), (uint64_t{kFrameTable} << 32) + reference));
}
inline uint32_t CheckOf(const Module& module, uint32_t reference) {
  return static_cast<uint32_t>(HashPair(HashPair(module.path, module.build_id), (uint64_t{kModuleTable} << 32) + reference));
}
inline uint32_t CheckOf(const Udf& udf, uint32_t index) {
  return static_cast<uint32_t>(HashBytes(&udf, offsetof(Udf, check), (uint64_t{kUdfTable} << 32) + index));
}
inline uint64_t CheckOf(const RssRow& row, uint32_t index) {
  return HashBytes(&row, offsetof(RssRow, check), (uint64_t{kRssRowTable} << 32) + index);
}
inline uint32_t CheckOfString(const char* text, uint32_t size, uint32_t reference) {
  return static_cast<uint32_t>(HashBytes(text, size, (uint64_t{kStringTable} << 32) + reference));
}

// What a site adds to its session's seal.
constexpr uint64_t SealShare(uint64_t checksum, uint32_t index) { return HashPair(checksum, index); }

}  // namespace memprof::box
