#include "symbols/demangle.h"

#include <cxxabi.h>

#include <cstdlib>

namespace memprof {
namespace {

bool IsLegacyRustHash(std::string_view part) {
  constexpr size_t kLength = 17;  // h and 16 digits
  return part.size() == kLength && part[0] == 'h' && part.substr(1).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Legacy Rust squeezes its punctuation into C++ identifiers: $LT$impl$u20$core..fmt..Debug$GT$.
std::string WithoutLegacyEscapes(std::string_view text) {
  struct Escape {
    std::string_view code, meaning;
  };
  constexpr Escape kEscapes[] = {{"$LT$", "<"},  {"$GT$", ">"},   {"$RF$", "&"},  {"$BP$", "*"},  {"$LP$", "("},
                                 {"$RP$", ")"},  {"$C$", ","},    {"$SP$", "@"},  {"$u20$", " "}, {"$u27$", "'"},
                                 {"$u5b$", "["}, {"$u5d$", "]"},  {"$u7b$", "{"}, {"$u7d$", "}"}, {"$u3b$", ";"},
                                 {"$u2b$", "+"}, {"$u22$", "\""}, {"$u7e$", "~"}, {"..", "::"}};
  std::string out;
  while (!text.empty()) {
    if (text.starts_with("_$") && (out.empty() || out.ends_with("::"))) text.remove_prefix(1);  // an identifier can't begin with $
    const Escape* found = nullptr;
    for (const Escape& escape : kEscapes) {
      if (text.starts_with(escape.code)) found = &escape;
    }
    out.append(found == nullptr ? text.substr(0, 1) : found->meaning);
    text.remove_prefix(found == nullptr ? 1 : found->code.size());
  }
  return out;
}

}  // namespace

std::string Demangled(const std::string& linker_name) {
  if (std::optional<std::string> rust = DemangledRustV0(linker_name)) return *rust;
  if (!linker_name.starts_with("_Z")) return linker_name;
  int status = 0;
  char* text = abi::__cxa_demangle(linker_name.c_str(), nullptr, nullptr, &status);
  if (text == nullptr) return linker_name;
  std::string name = text;
  free(text);
  const size_t last = name.rfind("::");
  if (last != std::string::npos && IsLegacyRustHash(std::string_view(name).substr(last + 2))) {
    return WithoutLegacyEscapes(std::string_view(name).substr(0, last));
  }
  return name;
}

}  // namespace memprof
