#include "system/memory_pressure.h"

#include "system/text_file.h"

namespace memprof {
namespace {

constexpr size_t kMostText = 1024;

}  // namespace

std::optional<uint32_t> PressureOf(std::string_view text) {
  constexpr std::string_view kBefore = "avg10=";
  constexpr uint64_t kWhole = 100;
  for (const std::string_view line : SplitLines(text)) {
    if (!line.starts_with("some ")) continue;
    for (const std::string_view word : SplitWords(line)) {
      if (!word.starts_with(kBefore)) continue;
      const std::string_view value = word.substr(kBefore.size());
      const size_t point = value.find('.');
      if (point == std::string_view::npos || value.size() != point + 3) return std::nullopt;
      const std::optional<uint64_t> percent = ParseNumber(value.substr(0, point)), hundredths = ParseNumber(value.substr(point + 1));
      if (!percent || !hundredths || *percent > kWhole) return std::nullopt;
      return static_cast<uint32_t>(*percent * kWhole + *hundredths);
    }
  }
  return std::nullopt;
}

Result<MemoryPressure> MemoryPressure::Find(const std::string& cgroup_folder, const std::string& proc) {
  const std::string machines = proc + "/pressure/memory";
  if (!cgroup_folder.empty()) {
    MemoryPressure own(cgroup_folder + "/memory.pressure");
    if (own.Read()) return own;
  }
  const Result<std::string> text = ReadTextFile(machines, kMostText);
  if (!text.ok()) return Status::Error(ErrorCode::kNotFound, "the kernel doesn't measure it (PSI is off): %s", text.status().message());
  if (!PressureOf(*text)) return Status::Error(ErrorCode::kNotFound, "%s has no avg10", machines.c_str());
  return MemoryPressure(machines);
}

std::optional<uint32_t> MemoryPressure::Read() const {
  const Result<std::string> text = ReadTextFile(path_, kMostText);
  return text.ok() ? PressureOf(*text) : std::nullopt;
}

}  // namespace memprof
