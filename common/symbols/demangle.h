// Turns linker names into source names: C++ (_ZN…), Rust's legacy scheme (like C++, with a hash, which is dropped) and its v0
// scheme (_R…). Other names, and names that cannot be read, are returned unchanged. Pure functions, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memprof {

std::string Demangled(const std::string& linker_name);

// rust_v0.cc: nothing when it isn't a v0 name or is broken. Hashes of crates are left out.
std::optional<std::string> DemangledRustV0(std::string_view linker_name);

}  // namespace memprof
