#include "advice/jvm_shortage.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace memprof {
namespace {

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::optional<uint64_t> NumberBehind(std::string_view text, std::string_view phrase) {
  const size_t at = text.find(phrase);
  if (at == text.npos) return std::nullopt;
  const std::string_view rest = text.substr(at + phrase.size());
  uint64_t number = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec != std::errc()) return std::nullopt;
  return number;
}

template <size_t N>
bool ContainsAny(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return Contains(text, part); });
}

}  // namespace

JvmPool PoolOf(std::string_view message) {
  static constexpr std::array<std::string_view, 2> kHeap = {"Java heap space", "GC overhead limit exceeded"};
  static constexpr std::array<std::string_view, 5> kArray = {
      "Requested array size exceeds VM limit",         // HotSpot
      "Required length exceeds implementation limit",  // the JDK's builders of strings
      "Required array length ",                        // its ArraysSupport, since 17: "Required array length 2147483639 + 9 is too large"
      "Required array size too large",
      "UTF16 String size is",  // a String of 2^30 characters or more
  };
  static constexpr std::array<std::string_view, 2> kThreads = {"unable to create native thread", "unable to create new native thread"};
  if (Contains(message, "irect buffer memory")) return JvmPool::kDirectBuffers;
  if (Contains(message, "Compressed class space")) return JvmPool::kClassSpace;
  if (Contains(message, "Metaspace")) return JvmPool::kMetaspace;
  if (ContainsAny(message, kThreads)) return JvmPool::kThreads;
  if (ContainsAny(message, kArray)) return JvmPool::kArray;
  return ContainsAny(message, kHeap) ? JvmPool::kHeap : JvmPool::kOther;
}

std::optional<JvmShortage> ParseJvmShortage(std::string_view error) {
  if (Contains(error, "OutOfDirectMemoryError")) {  // Netty: failed to allocate N byte(s) of direct memory (used: N, max: N)
    return JvmShortage{JvmPool::kDirectBuffers, NumberBehind(error, "failed to allocate "), NumberBehind(error, "used: "),
                       NumberBehind(error, "max: ")};
  }
  constexpr std::string_view kClass = "java.lang.OutOfMemoryError";
  const size_t at = error.find(kClass);
  if (at == error.npos) return std::nullopt;
  const std::string_view message = error.substr(at, error.find('\n', at) - at);  // what follows is a stack
  JvmShortage shortage;
  shortage.pool = PoolOf(message);
  if (shortage.pool == JvmPool::kDirectBuffers) {  // JDK 11: Direct buffer memory. Later: Cannot reserve N bytes of direct …
    shortage.asked_bytes = NumberBehind(message, "Cannot reserve ");
    shortage.held_bytes = NumberBehind(message, "allocated: ");
    shortage.limit_bytes = NumberBehind(message, "limit: ");
  }
  return shortage;
}

}  // namespace memprof
