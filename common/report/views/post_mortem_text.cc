#include "report/views/post_mortem_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/digest.h"
#include "report/titles.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr size_t kFigure = 12;  // columns of a figure
constexpr size_t kAdviceShown = 4, kSitesShown = 6, kProcessesShown = 5, kFramesShown = 6, kClassesShown = 5;
constexpr int kLogColumns = 120;

// "averages.py:27 with_cpp › weighted_average", "ArrowWriter.write ArrowWriter.scala:112".
std::string SitePhrase(const ReportSite& site) {
  if (site.origin != Origin::kPython) {
    const ReportFrame* lead = LeadOf(site);
    return lead == nullptr ? "no frames" : FrameTitle(*lead) + " " + FramePlace(*lead);
  }
  const ReportFrame* line = LeadLineOf(site.frames);
  if (line == nullptr) return site.frames.empty() ? "no frames" : FrameTitle(site.frames.back());
  std::string phrase = FramePlace(*line) + " " + line->function;
  return line == &site.frames.back() ? phrase : phrase + " › " + FrameTitle(site.frames.back());
}

std::string SampleAge(const ReportPostMortem& death) {
  if (!death.last_sample_age_ms) return "";
  return fmt::format("; last sample {} before", FormatDuration(*death.last_sample_age_ms));
}

void PutAdvice(const ReportPostMortem& death, TextPage& page) {
  for (size_t i = 0; i < std::min(kAdviceShown, death.advice.size()); ++i) {
    page.Wrapped("→ " + Printable(AdvicePhrase(death.advice[i])), 4, Ink::kWarm, 3);
  }
}

// Innermost first, as a debugger shows it.
void PutStack(const ReportPostMortem& death, TextPage& page) {
  if (death.stack.empty()) return;
  page.Line("    " + StackTitle(death) + ":", Ink::kDim);
  for (size_t i = 0; i < std::min(kFramesShown, death.stack.size()); ++i) {
    const ReportFrame& frame = death.stack[death.stack.size() - 1 - i];
    page.Line(fmt::format("      {}  {}", Printable(FrameTitle(frame)), Printable(FramePlace(frame))));
  }
  if (death.stack.size() > kFramesShown) page.Line(fmt::format("      … {} more", death.stack.size() - kFramesShown), Ink::kDim);
}

// "; 412.0 MiB resident 2.4 s before, 100.0 MiB since the peak". Without an age it is not known of which moment the
// figure is.
std::string ResidentAge(const ReportSite& site) {
  if (!site.resident_at_peak_bytes || !site.resident_age_ms) return "";
  const std::string later = site.resident_later_bytes ? fmt::format(", {} since the peak", FormatBytes(*site.resident_later_bytes)) : "";
  return fmt::format("; {}{} resident {} before{}", site.resident_in_part ? "≥ " : "", FormatBytes(*site.resident_at_peak_bytes),
                     FormatDuration(*site.resident_age_ms), later);
}

void PutSites(const ReportPostMortem& death, TextPage& page) {
  if (death.sites.empty()) return;
  page.Line("    " + HeldTitle(death) + ":", Ink::kDim);
  for (size_t i = 0; i < std::min(kSitesShown, death.sites.size()); ++i) {
    const ReportSite& site = death.sites[i];
    std::string bytes = site.live_at_peak_bytes ? FormatBytes(*site.live_at_peak_bytes) : FormatBytes(site.allocated_bytes) + " allocated";
    std::string where = site.stage_id ? fmt::format("  stage {}", *site.stage_id) : "";
    if (!site.thread.empty()) where += "  " + Printable(site.thread);
    if (site.left_by_earlier_tasks) where += "  left by earlier tasks";
    if (site.udf) where += ", " + UdfTitle(*site.udf);
    page.Line(fmt::format("    {}  {}{}{}", Right(bytes, kFigure), Printable(SitePhrase(site)), ResidentAge(site), Printable(where)));
  }
}

void PutRetained(const ReportPostMortem& death, TextPage& page) {
  if (!death.retained) return;
  const std::string age =
      death.time_ms > death.retained->time_ms ? FormatDuration(death.time_ms - death.retained->time_ms) + " before" : "";
  page.Line(fmt::format("    The heap retained {}{}{}:", RetainedPhrase(*death.retained), age.empty() ? "" : ", ", age), Ink::kDim);
  for (size_t i = 0; i < std::min(kSitesShown, death.retained->sites.size()); ++i) {
    const ReportRetainedSite& site = death.retained->sites[i];
    page.Line(fmt::format("    {}  {}", Right(FormatBytes(site.retained_bytes), kFigure),
                          Printable(MadePhrase(site.frames, site.stage_id, site.thread))));
  }
}

// Everything in the heap at that moment, by class, and Spark's part of it.
void PutHeap(const ReportPostMortem& death, TextPage& page) {
  if (!death.heap) return;
  const std::string classes = Printable(HeapClassesPhrase(*death.heap, kClassesShown));
  std::string regions;
  if (!classes.empty()) {
    const char* part = death.heap->cut_short ? "A part of the heap by class" : "The heap by class";
    page.Wrapped(fmt::format("{}, {} in all: {}", part, FormatBytesOr(death.heap->total_bytes), classes), 4, Ink::kDim, 3);
    if (const std::string note = HeapNote(*death.heap); !note.empty()) page.Wrapped("But " + note, 4, Ink::kDim);
  }
  for (const ReportNamedBytes& region : death.heap->regions) {
    if (region.bytes != 0)
      regions += fmt::format("{}{} {}", regions.empty() ? "" : ", ", Printable(region.name), FormatBytes(region.bytes));
  }
  if (!regions.empty()) page.Wrapped("Spark then: " + regions, 4, Ink::kDim, 2);
}

// "heap 301.0 MiB of 512.0 MiB, overhead 120.0 MiB of 384.0 MiB". Regions that are not known, or neither used nor requested, are left
// out.
void PutRegions(const ReportPostMortem& death, TextPage& page) {
  std::string regions;
  for (const ReportRegionUse& region : death.regions) {
    if (!region.bytes || *region.bytes + region.budget_bytes.value_or(0) == 0) continue;
    regions += fmt::format("{}{} {}", regions.empty() ? "" : ", ", Printable(region.name), FormatBytes(*region.bytes));
    if (region.budget_bytes.value_or(0) != 0) regions += " of " + FormatBytes(*region.budget_bytes);
  }
  if (!regions.empty()) page.Wrapped("Used then of what was requested: " + regions, 4, Ink::kDim, 3);
}

void PutProcesses(const ReportPostMortem& death, TextPage& page) {
  std::string parts;
  for (size_t i = 0; i < std::min(kProcessesShown, death.processes.size()); ++i) {
    const ReportProcess& process = death.processes[i];
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", ProcessTitle(process), FormatBytes(process.peak_rss_bytes));
  }
  if (death.processes.size() > kProcessesShown) parts += fmt::format(", {} more", death.processes.size() - kProcessesShown);
  if (!parts.empty()) page.Wrapped("Processes then: " + Printable(parts), 4, Ink::kDim, 3);
}

void PutVerdict(const std::string& before, const ReportPostMortem& death, TextPage& page) {
  page.Wrapped(before + Printable(death.headline), 2, death.out_of_memory ? Ink::kHot : Ink::kWarm, 3);
  page.Wrapped("How this is known: " + Printable(death.how) + SampleAge(death), 4, Ink::kDim, 3);
  PutAdvice(death, page);
}

}  // namespace

void PutPostMortem(const ReportPostMortem& death, size_t most, TextPage& page) {
  TextPage whole = page.Empty();
  PutVerdict("", death, whole);
  PutRegions(death, whole);
  PutStack(death, whole);
  PutSites(death, whole);
  PutHeap(death, whole);
  PutRetained(death, whole);
  PutProcesses(death, whole);
  if (!death.reason.empty()) whole.Wrapped("Spark says: " + Printable(death.reason), 4, Ink::kDim, 2);
  page.Append(whole, most);
}

std::string PostMortemText(const ReportPostMortem& death) {
  TextPage page({kLogColumns, false, 0});
  PutPostMortem(death, kMostPostMortemLines, page);
  return page.Text(0);
}

std::string VerdictKind(const ReportPostMortem& death) {
  if (death.survived) return "no death";
  if (death.unknown) return "of unknown cause";
  return death.out_of_memory ? "of memory" : "not of memory";
}

std::string CorrectionText(const ReportPostMortem& death, const std::string& told) {
  TextPage page({kLogColumns, false, 0});
  PutVerdict("Correction (the log said \"" + told + "\"): ", death, page);
  return page.Text(0);
}

}  // namespace memprof
