// Frames of native code in a profile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profile/profile_sites.h"
#include "symbols/source_call.h"

namespace memprof {

// What is known about a native frame (module path, build id, offset of the return address); empty while nothing is known.
using NativeCallsAt = std::function<SourceCalls(const std::string& module, const std::string& build_id, uint64_t offset)>;

// Adds `frame`, with the calls that the compiler has inlined around it; indexes into the sites' frames, outermost first.
std::vector<uint32_t> AddNativeFrame(ProfileFrame frame, const NativeCallsAt& calls_at, ProfileSites* sites);

}  // namespace memprof
