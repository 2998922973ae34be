// From an executor's bytes to a message. Its input is hostile: every index, figure and size is checked here, so that later code
// need not check. A refused message changes nothing. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/status.h"
#include "proto/memprof.pb.h"

namespace memprof {

inline constexpr size_t kMaxEnvelopeBytes = 1u << 20;  // a task profile's hard cap is 256 KB

// kCorrupt: not an Envelope, or indexes out of range, or impossible figures. kUnsupported: another schema version.
Status DecodeEnvelope(std::string_view bytes, proto::Envelope& envelope);

}  // namespace memprof
