// From an executor's bytes to records. Its input is hostile: every index, figure and size is checked before anything is
// interned, so that a refused message leaves no trace. Pure but for the interner it fills.
#pragma once

#include <memory_resource>

#include "base/status.h"
#include "proto/memprof.pb.h"
#include "store/interner.h"
#include "store/records.h"

namespace memprof {

inline constexpr size_t kMaxEnvelopeBytes = 1u << 20;  // a task profile's hard cap is 256 KB

// kCorrupt: not an Envelope, or indexes out of range, or figures no machine has. kUnsupported: another schema version.
Status DecodeEnvelope(std::string_view bytes, proto::Envelope& envelope);

// Precondition: `profile` passed DecodeEnvelope.
TaskProfileRecord InternProfile(const proto::TaskProfile& profile, Interner& interner, std::pmr::memory_resource* memory);

}  // namespace memprof
