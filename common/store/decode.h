// From an executor's bytes to records. Its input is hostile: every index, figure and size is checked before anything is
// interned, so that a refused message leaves no trace. Pure but for the interner it fills.
#pragma once

#include <memory_resource>
#include <vector>

#include "base/status.h"
#include "proto/memprof.pb.h"
#include "store/interner.h"
#include "store/records.h"

namespace memprof {

inline constexpr size_t kMaxEnvelopeBytes = 1u << 20;  // a task profile's hard cap is 256 KB

// kCorrupt: not an Envelope, or indexes out of range, or figures no machine has. kUnsupported: another schema version.
Status DecodeEnvelope(std::string_view bytes, proto::Envelope& envelope);

// Where a profile's stacks and functions are in an interner, by index + 1 as messages have them; 0 stays 0. Precondition:
// `profile` passed DecodeEnvelope.
class InternedReferences {
 public:
  InternedReferences(const proto::TaskProfile& profile, Interner& interner);
  StackId Stack(uint32_t index) const { return stacks_[index]; }
  UdfId Udf(uint32_t index) const { return udfs_[index]; }

 private:
  std::vector<StackId> stacks_;
  std::vector<UdfId> udfs_;
};

// Precondition: `profile` passed DecodeEnvelope.
TaskProfileRecord InternProfile(const proto::TaskProfile& profile, Interner& interner, std::pmr::memory_resource* memory);

}  // namespace memprof
