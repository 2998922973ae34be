// Figures as people read them, in one place: every view formats a number in the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace memprof {

// "0 B", "512 B", "1.0 KiB", "381.5 MiB", "12.3 GiB": binary units, one decimal from KiB on, never "1024.0 KiB".
std::string FormatBytes(uint64_t bytes);
std::string FormatSignedBytes(int64_t bytes);                                           // "-1.5 MiB"
std::string FormatBytesOr(std::optional<uint64_t> bytes, const char* otherwise = "–");  // an en dash: not measured
std::string FormatCount(uint64_t count);                                                // "12,345,678"
std::string FormatPercent(double part, double whole);                                   // "87 %", "<1 %", "–" of nothing
std::string FormatTime(int64_t epoch_ms);                                               // "2026-01-31 13:05:09 UTC"
std::string FormatDuration(int64_t ms);                                                 // "850 ms", "12.3 s", "4 min 05 s", "2 h 10 min"

}  // namespace memprof
