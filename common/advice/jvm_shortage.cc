#include "advice/jvm_shortage.h"

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

}  // namespace

std::optional<JvmShortage> ParseJvmShortage(std::string_view error) {
  JvmShortage shortage;
  if (Contains(error, "OutOfDirectMemoryError")) {  // Netty: failed to allocate N byte(s) of direct memory (used: N, max: N)
    shortage = {JvmPool::kDirectBuffers, NumberBehind(error, "failed to allocate "), NumberBehind(error, "used: "),
                NumberBehind(error, "max: ")};
  } else if (!Contains(error, "java.lang.OutOfMemoryError")) {
    return std::nullopt;
  } else if (Contains(error, "irect buffer memory")) {  // JDK 11: Direct buffer memory. Later: Cannot reserve N bytes of direct …
    shortage = {JvmPool::kDirectBuffers, NumberBehind(error, "Cannot reserve "), NumberBehind(error, "allocated: "),
                NumberBehind(error, "limit: ")};
  } else if (Contains(error, "OutOfMemoryError: Metaspace") || Contains(error, "Compressed class space")) {
    shortage.pool = JvmPool::kMetaspace;
  } else if (Contains(error, "unable to create native thread") || Contains(error, "unable to create new native thread")) {
    shortage.pool = JvmPool::kThreads;
  }
  return shortage;
}

}  // namespace memprof
