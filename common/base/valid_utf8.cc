#include "base/valid_utf8.h"

#include <cstdint>

namespace memprof {

std::string ValidUtf8(std::string_view data) {
  std::string text;
  text.reserve(data.size());
  for (size_t i = 0; i < data.size();) {
    unsigned char lead = static_cast<unsigned char>(data[i]);
    uint32_t length = lead < 0x80                   ? 1
                      : lead >= 0xc2 && lead < 0xe0 ? 2
                      : lead >= 0xe0 && lead < 0xf0 ? 3
                      : lead >= 0xf0 && lead < 0xf5 ? 4
                                                    : 0;
    bool good = length != 0 && length <= data.size() - i;
    for (uint32_t k = 1; good && k < length; ++k) good = (static_cast<unsigned char>(data[i + k]) & 0xc0) == 0x80;
    if (good && length > 2) {
      unsigned char second = static_cast<unsigned char>(data[i + 1]);
      good = !(lead == 0xe0 && second < 0xa0) && !(lead == 0xed && second >= 0xa0) && !(lead == 0xf0 && second < 0x90) &&
             !(lead == 0xf4 && second >= 0x90);
    }
    if (good) {
      text.append(data.substr(i, length));
      i += length;
    } else {
      text.append("\xef\xbf\xbd");
      ++i;
    }
  }
  return text;
}

}  // namespace memprof
