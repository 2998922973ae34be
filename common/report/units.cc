#include "report/units.h"

#include <fmt/format.h>

#include <ctime>

namespace memprof {

std::string FormatBytes(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string FormatSignedBytes(int64_t bytes) {
  return bytes < 0 ? "-" + FormatBytes(uint64_t{0} - static_cast<uint64_t>(bytes)) : FormatBytes(static_cast<uint64_t>(bytes));
}

std::string FormatBytesOr(std::optional<uint64_t> bytes, const char* otherwise) { return bytes ? FormatBytes(*bytes) : otherwise; }

std::string FormatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string FormatPercent(double part, double whole) {
  if (whole <= 0) return "–";
  double percent = 100 * part / whole;
  if (percent > 0 && percent < 1) return "<1 %";
  return fmt::format("{:.0f} %", percent);
}

std::string FormatTime(int64_t epoch_ms) {
  time_t seconds = static_cast<time_t>(epoch_ms / 1000);
  tm utc{};
  if (gmtime_r(&seconds, &utc) == nullptr) return "–";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                     utc.tm_sec);
}

std::string FormatDuration(int64_t ms) {
  if (ms < 0) return "–";
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (ms < 60'000) return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000);
  int64_t minutes = ms / 60'000;
  if (minutes < 60) return fmt::format("{} min {:02} s", minutes, ms / 1000 % 60);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace memprof
