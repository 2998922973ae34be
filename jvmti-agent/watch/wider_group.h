// Whether a memory cgroup is around more than one container of YARN: a NodeManager that makes none for its containers has them in its own,
// which mostly has a limit that fits all of them. Pure function; bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace memprof {

// `granted`: what the manager holds each container to; 0: it doesn't. `path`: of the group that has the limit. YARN names the group of one
// container after it (container_1700000000000_0001_01_000002), and rounds what it grants up to a multiple that Spark does not know.
inline bool IsOfWiderGroup(uint64_t limit, uint64_t granted, std::string_view path) {
  return granted != 0 && limit / 2 >= granted && path.find("/container_") == path.npos;
}

}  // namespace memprof
