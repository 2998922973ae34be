// Where this JVM has its heap, its code cache and a field of its threads, and how its switches stand, by the tables that HotSpot
// exports for debuggers (gHotSpotVMStructs, gHotSpotVMTypes, which the Serviceability Agent reads). Another JVM, or a build
// without the tables, knows nothing. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/address_range.h"

namespace memprof {

struct HotSpotLayout {
  AddressRange heap;                     // as reserved; empty: not known, or ZGC's, which is a file
  AddressRange code_cache;               // likewise, all of its parts
  std::optional<uint64_t> thread_state;  // where a JavaThread says what it does (JavaThread::_thread_state)
};

// Reads memory of the JVM's: only while it is up.
HotSpotLayout ReadHotSpotLayout();

// Of -XX:+name or -XX:-name; absent: not known.
std::optional<bool> ReadHotSpotSwitch(std::string_view name);

}  // namespace memprof
