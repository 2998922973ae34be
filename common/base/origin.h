// Terms shared by every room: where a sample came from and which language a frame is written in. The values are those of
// proto/memprof.proto and of the black box; they never change.
#pragma once

#include <cstdint>

namespace memprof {

enum class Origin : uint8_t { kUnknown = 0, kPython = 1, kJvmHeap = 2, kJvmOffHeap = 3, kJvmNative = 4 };

enum class Language : uint8_t { kUnknown = 0, kPython = 1, kNative = 2, kJava = 3 };

}  // namespace memprof
