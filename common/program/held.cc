#include "program/held.h"

#include <fmt/format.h>

#include <algorithm>

#include "postmortem/last_sites.h"
#include "report/digest.h"
#include "report/units.h"

namespace memprof {
namespace {

uint64_t HeldBy(const ReportLine& line) { return line.live_at_end_bytes.value_or(line.live_at_peak_bytes.value_or(0)); }

}  // namespace

std::optional<HeldLine> HeaviestLine(const ReportStage& python) {
  const ReportLine* heaviest = nullptr;
  for (const ReportLine& line : python.lines) {
    if (!line.file.empty() && (heaviest == nullptr || HeldBy(line) > HeldBy(*heaviest))) heaviest = &line;
  }
  if (heaviest == nullptr || HeldBy(*heaviest) == 0) return std::nullopt;
  return HeldLine{LinePlace(heaviest->file, heaviest->line), heaviest->function, HeldBy(*heaviest)};
}

std::string HeldPhrase(const std::optional<HeldLine>& line) {
  return line ? fmt::format("; {} {} held {}", line->place, line->function, FormatBytes(line->bytes)) : "";
}

void PutHeldSites(const ReportStage& python, ReportPostMortem& death) {
  death.sites = python.sites;
  for (ReportSite& site : death.sites) {
    if (site.live_at_end_bytes) site.live_at_peak_bytes = site.live_at_end_bytes;
  }
  std::stable_sort(death.sites.begin(), death.sites.end(), [](const ReportSite& a, const ReportSite& b) {
    return a.live_at_peak_bytes.value_or(0) > b.live_at_peak_bytes.value_or(0);
  });
  if (death.sites.size() > kSitesShown) death.sites.resize(kSitesShown);
}

int NotedSignal(const BoxSession& session) {
  int signal = 0;
  for (const BoxIncident& incident : session.incidents) {
    if (incident.signal != 0) signal = incident.signal;
  }
  return signal;
}

}  // namespace memprof
