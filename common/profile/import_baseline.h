// What a Python process holds besides its tasks' own data. This is its resident memory when profiling began and when the code of
// its first task began, and the live bytes that imports have allocated since profiling began, by imported top-level module.
// Thread-safe (no state).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "blackbox/box_reader.h"
#include "proto/memprof.pb.h"

namespace memprof {

// A counter of a worker's first session (worker.py): RSS after its command was read; reading it imports what its functions need.
inline constexpr const char* kFirstTaskRssCounter = "firstTaskRssBytes";

struct ImportedModule {
  std::string name;
  uint64_t live_bytes = 0;          // allocated while the module's own code ran
  uint64_t with_imports_bytes = 0;  // and what it imported in turn
  bool installed = false;           // not the user's own
};

struct ImportBaseline {
  uint64_t start_rss_bytes = 0;
  std::optional<uint64_t> first_task_rss_bytes;
  uint64_t as_of_session = 0;           // the last that is in the figures
  std::vector<ImportedModule> modules;  // most live bytes first; at most 16, and "others"
};

using HasFile = std::function<bool(const std::string& path)>;

// numpy of .../site-packages/numpy/core/__init__.py, json of .../lib/python3.11/json/decoder.py, helper of /jobs/helper.py;
// anywhere else the outermost folder that is a package, which `has_file` shows.
std::string TopLevelModuleOf(const std::string& file, const HasFile& has_file);

// From sessions of one process, in which each block is live only once: the process-level session and the open ones.
std::vector<ImportedModule> ImportedModulesOf(const std::vector<const BoxSession*>& sessions, const HasFile& has_file);
std::vector<ImportedModule> ImportedModulesOf(const std::vector<const BoxSession*>& sessions);  // as files are on this machine

// The later of two baselines of one process, completed from the earlier one.
void Renew(const ImportBaseline& other, ImportBaseline* baseline);

// `withheld`: names of the user's own modules are replaced (profile/withheld.h).
void AddBaseline(const ImportBaseline& baseline, bool withheld, proto::Process* process);

}  // namespace memprof
