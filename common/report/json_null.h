// JSON's null for what isn't known: an empty text, a value that isn't there.
// Thread-safe (no state).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace memprof {

inline nlohmann::ordered_json TextOrNull(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

template <typename T>
nlohmann::ordered_json OrNull(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace memprof
