// BoxFile: makes a black box's file and maps it; the writer's side of the file itself. What goes into the tables is decided in
// sites/.
//
// Cold: Create() and Remove() are never called from hooks. A plain struct: its owner closes it, once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/own_descriptor.h"
#include "base/status.h"
#include "blackbox/box_name.h"
#include "blackbox/layout.h"

namespace memprof::box {

// How many records each table of a box has.
struct Plan {
  uint32_t sites, nodes, frames, modules, string_bytes;
};

struct BoxFileOptions {
  const char* directory;
  const char* application_id;
  const char* executor_id;
  const char* python_version;  // may be null
  uint64_t interval_bytes;
  bool started_by_task;
  Plan plan;
};

struct BoxFile {
  char* base = nullptr;  // shared, writable mapping of the whole file
  size_t bytes = 0;
  OwnDescriptor lock;  // close-on-exec; holds the OFD lock that says the owner lives
  char path[4096] = {};

  // Makes a new file (O_CREAT|O_EXCL|O_NOFOLLOW, 0600) with all its blocks allocated, locks it, maps it, writes the header.
  // kInvalidArgument: a path too long. kIo, kExhausted (disk full): the system's reason; nothing is left behind.
  static Status Create(const BoxFileOptions& options, BoxFile* file);

  // Unmaps and closes, which drops the lock; the file stays. Async-signal-safe.
  void Close();
  // Deletes the file; the mapping stays until Close().
  void Remove();

  Header& header() const { return *reinterpret_cast<Header*>(base); }
  template <typename T>
  T* table(TableKind kind) const {
    return reinterpret_cast<T*>(base + header().tables[kind].offset);
  }
  uint32_t capacity(TableKind kind) const { return header().tables[kind].capacity; }
};

}  // namespace memprof::box
