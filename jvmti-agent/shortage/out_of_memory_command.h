// What a JVM runs on its first OutOfMemoryError: -XX:OnOutOfMemoryError="kill -9 %p". HotSpot runs it before JVMTI reports the error,
// so such a JVM has no last word, unless another thread meets an error at the same moment. Pure.
#pragma once

#include <string_view>

namespace memprof {

// Whether the command is a kill by SIGKILL, of whomever.
bool IsSigkill(std::string_view command);

}  // namespace memprof
