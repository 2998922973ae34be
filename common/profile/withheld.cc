#include "profile/withheld.h"

#include "base/hash.h"

namespace memprof {

std::string Withheld(std::string_view what, std::string_view name) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = std::string(what) + "-";
  uint64_t hash = HashBytes(name.data(), name.size(), 0);
  for (int i = 0; i < 10; ++i, hash >>= 4) text += kDigits[hash & 15];
  return text;
}

}  // namespace memprof
