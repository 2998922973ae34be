// The addresses of this JVM's heap and code cache, the offset of a field of its threads, and its switches, from the tables that
// HotSpot exports for debuggers (gHotSpotVMStructs, gHotSpotVMTypes, which the Serviceability Agent reads). With another JVM, or
// a build without the tables, nothing is known. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/address_range.h"

namespace memprof {

struct HotSpotLayout {
  AddressRange heap;                     // as reserved; empty: not known, or ZGC's, which is a file
  AddressRange code_cache;               // likewise, all of its parts
  std::optional<uint64_t> thread_state;  // the offset of a JavaThread's state (JavaThread::_thread_state)
};

// Reads memory of the JVM: only while it runs.
HotSpotLayout ReadHotSpotLayout();

// Of -XX:+name or -XX:-name; absent: not known.
std::optional<bool> ReadHotSpotSwitch(std::string_view name);

// Of -XX:name=text; absent: not set, or not known. The same option given several times: a line each.
std::optional<std::string> ReadHotSpotText(std::string_view name);

}  // namespace memprof
