// A task's profile as the store keeps it: its names and stacks interned, its figures as plain data. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/origin.h"
#include "facts/facts.h"
#include "facts/interner.h"
#include "proto/memprof.pb.h"

namespace memprof {

// kUnknown: of a newer version.
Origin OriginOf(proto::Origin origin);

// The interner's ids of a profile's stacks and functions, by index + 1 as in messages; 0 stays 0. Precondition: `profile` was
// checked (intake/decode.h).
class InternedReferences {
 public:
  InternedReferences(const proto::TaskProfile& profile, Interner& interner);
  StackId Stack(uint32_t index) const { return stacks_[index]; }
  UdfId Udf(uint32_t index) const { return udfs_[index]; }
  std::span<const UdfId> udfs() const { return std::span(udfs_).subspan(1); }

 private:
  std::vector<StackId> stacks_;
  std::vector<UdfId> udfs_;
};

// Precondition: `profile` was checked (intake/decode.h).
InternedProfile InternProfile(const proto::TaskProfile& profile, Interner& interner, std::pmr::memory_resource* memory);

}  // namespace memprof
