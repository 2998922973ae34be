#include "budget/memory_size.h"

#include <charconv>
#include <string>

#include "base/setting_value.h"

namespace memprof {
namespace {

// 0 = not a suffix Spark knows.
uint64_t UnitOf(std::string_view suffix) {
  if (suffix.size() == 2 && suffix[1] == 'b' && suffix[0] != 'b') suffix.remove_suffix(1);
  if (suffix.size() != 1) return 0;
  switch (suffix[0]) {
    case 'b':
      return 1;
    case 'k':
      return kKib;
    case 'm':
      return kMib;
    case 'g':
      return kGib;
    case 't':
      return 1024 * kGib;
    case 'p':
      return 1024 * 1024 * kGib;
    default:
      return 0;
  }
}

}  // namespace

Result<uint64_t> ParseMemorySize(std::string_view text, uint64_t default_unit) {
  std::string lower(Trimmed(text));
  for (char& letter : lower) letter = Lower(letter);
  auto refused = [&](const char* why) {
    return Status::Error(ErrorCode::kInvalidArgument, "not a memory size: \"%.64s\": %s", lower.c_str(), why);
  };
  uint64_t number = 0;
  const char* end = lower.data() + lower.size();
  auto [rest, error] = std::from_chars(lower.data(), end, number);
  if (rest == lower.data()) return refused("expected digits and a unit, such as 512m or 2g");
  std::string_view suffix(rest, static_cast<size_t>(end - rest));
  uint64_t unit = suffix.empty() ? default_unit : UnitOf(suffix);
  if (unit == 0) return refused("expected a unit of b, k, m, g, t or p and no fraction");
  if (error != std::errc() || number > (uint64_t{1} << 56) / unit) return refused("too large");
  return number * unit;
}

}  // namespace memprof
