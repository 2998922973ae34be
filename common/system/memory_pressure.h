// MemoryPressure: how much threads wait for memory, as the kernel measures it (PSI): the container's own where its cgroup says it
// (version 2), else the whole machine's. A reading costs about 10 µs. Thread-safe (no state after Find).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace memprof {

class MemoryPressure {
 public:
  // `cgroup_folder`: of the limiting group; "" for none. kNotFound, with the reason, where neither is there.
  static Result<MemoryPressure> Find(const std::string& cgroup_folder, const std::string& proc = "/proc");

  // Hundredths of a percent of the last ten seconds in which some thread waited; nothing when it can't be read (any more).
  std::optional<uint32_t> Read() const;
  const std::string& path() const { return path_; }

 private:
  explicit MemoryPressure(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Of the file's text: "some avg10=1.23 avg60=…".
std::optional<uint32_t> PressureOf(std::string_view text);

}  // namespace memprof
