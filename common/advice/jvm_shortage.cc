#include "advice/jvm_shortage.h"

#include <algorithm>
#include <charconv>
#include <iterator>

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

struct Mark {
  std::string_view text;
  JvmPool pool;
};

// Direct buffers' text is JDK 11's, "Direct buffer memory", and a later one's, "… bytes of direct buffer memory".
constexpr Mark kMarks[] = {
    {"irect buffer memory", JvmPool::kDirectBuffers},
    {"Compressed class space", JvmPool::kClassSpace},
    {"Metaspace", JvmPool::kMetaspace},
    {"unable to create native thread", JvmPool::kThreads},
    {"unable to create new native thread", JvmPool::kThreads},
    {"Requested array size exceeds VM limit", JvmPool::kArray},         // HotSpot
    {"Required length exceeds implementation limit", JvmPool::kArray},  // the JDK's builders of strings
    {"Required array length ", JvmPool::kArray},  // its ArraysSupport, since 17: "Required array length 2147483639 + 9 is too large"
    {"Required array size too large", JvmPool::kArray},
    {"UTF16 String size is", JvmPool::kArray},  // a String of 2^30 characters or more
    {"Java heap space", JvmPool::kHeap},
    {"GC overhead limit exceeded", JvmPool::kHeap},
};

}  // namespace

JvmPool PoolOf(std::string_view message) {
  const auto* found = std::find_if(std::begin(kMarks), std::end(kMarks), [&](const Mark& mark) { return Contains(message, mark.text); });
  return found == std::end(kMarks) ? JvmPool::kOther : found->pool;
}

bool IsOfOtherPool(std::string_view message) {
  const JvmPool pool = PoolOf(message);
  return pool == JvmPool::kMetaspace || pool == JvmPool::kClassSpace || pool == JvmPool::kThreads;
}

std::optional<JvmShortage> ParseJvmShortage(std::string_view error) {
  // ShuffleBlockFetcherIterator: "Block shuffle_0_1_0 fetch failed after 10 retries due to Netty OOM", if it was Netty's own bound.
  const bool after_retries = Contains(error, "retries due to Netty OOM"), of_fetch = Contains(error, "FetchFailedException");
  if (after_retries ||
      Contains(error, "OutOfDirectMemoryError")) {  // Netty: failed to allocate N byte(s) of direct memory (used: N, max: N)
    return JvmShortage{JvmPool::kDirectBuffers, NumberBehind(error, "failed to allocate "), NumberBehind(error, "used: "),
                       NumberBehind(error, "max: "), of_fetch};
  }
  constexpr std::string_view kClass = "java.lang.OutOfMemoryError";
  const size_t at = error.find(kClass);
  if (at == error.npos) return std::nullopt;
  const std::string_view message = error.substr(at, error.find('\n', at) - at);  // what follows is a stack
  JvmShortage shortage;
  shortage.pool = PoolOf(message);
  if (shortage.pool == JvmPool::kDirectBuffers) {  // since JDK 17 with figures: Cannot reserve N bytes of direct …
    shortage.asked_bytes = NumberBehind(message, "Cannot reserve ");
    shortage.held_bytes = NumberBehind(message, "allocated: ");
    shortage.limit_bytes = NumberBehind(message, "limit: ");
    shortage.of_fetch = of_fetch;
  }
  return shortage;
}

}  // namespace memprof
