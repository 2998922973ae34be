#include "rollup/site_rollup.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "facts/figures.h"
#include "facts/udf_row.h"
#include "report/row_bytes.h"

namespace memprof {
namespace {

constexpr size_t kMostOperators = 24, kMostUdfs = 33;  // a task names 32, and some bytes are outside any

size_t IndexOf(Origin origin) { return static_cast<size_t>(origin); }

void AddRemainder(const OriginFigures& other, OriginFigures& figures) {
  figures.sites += other.sites;
  figures.allocated_bytes += other.allocated_bytes;
  figures.allocations += other.allocations;
}

void RaiseTo(const std::array<uint64_t, kOrigins>& other, std::array<uint64_t, kOrigins>& largest) {
  for (size_t origin = 0; origin < kOrigins; ++origin) largest[origin] = std::max(largest[origin], other[origin]);
}

// What one task charged to each line.
std::unordered_map<LineKey, SiteFigures, LineKeyHash> LinesOf(const InternedProfile& task, const LeadLines& leads) {
  std::unordered_map<LineKey, SiteFigures, LineKeyHash> lines;
  for (const InternedSite& site : task.sites) {
    if (site.key.origin != Origin::kPython) continue;
    auto [entry, added] = lines.try_emplace({leads.FrameOf(site.key.stack), site.key.udf}, site.figures);
    if (!added) AddWithinTask(site.figures, entry->second);
  }
  return lines;
}

// What one task charged to each of its functions.
std::unordered_map<UdfId, SiteFigures> UdfsOf(const InternedProfile& task) {
  std::unordered_map<UdfId, SiteFigures> udfs;
  for (const InternedSite& site : task.sites) {
    if (site.key.origin != Origin::kPython) continue;
    auto [entry, added] = udfs.try_emplace(site.key.udf, site.figures);
    if (!added) AddWithinTask(site.figures, entry->second);
  }
  return udfs;
}

// Adds one task's figures to figures over tasks, by key.
template <typename From, typename To>
void AddEachOverTasks(const From& from, To& to) {
  for (const auto& [key, figures] : from) {
    auto [entry, added] = to.try_emplace(key, figures);
    if (!added) AddOverTasks(figures, entry->second);
  }
}

// Heaviest first: by live bytes at the peak. Sites without that figure come after all others, by bytes allocated.
auto WeightOf(const SiteFigures& figures) {
  bool measured = figures.live_at_peak_bytes != kUnmeasured;
  return std::tuple(measured, measured ? figures.live_at_peak_bytes : 0, figures.allocated_bytes);
}

std::optional<uint64_t> Measured(uint64_t figure) { return figure == kUnmeasured ? std::nullopt : std::optional(figure); }

std::optional<uint64_t> TwoDeviations(double variance) {
  if (variance < 0) return std::nullopt;
  return static_cast<uint64_t>(std::llround(std::min(2 * std::sqrt(variance), 1e18)));
}

template <typename Row>
void PutFigures(const SiteFigures& figures, Row& row) {
  row.tasks = figures.tasks;
  row.allocated_bytes = figures.allocated_bytes;
  row.allocations = figures.allocations;
  row.live_at_peak_bytes = Measured(figures.live_at_peak_bytes);
  row.resident_at_peak_bytes = Measured(figures.resident_at_peak_bytes);
  row.resident_in_part = IsResidentInPart(figures);
  row.resident_later_bytes = ResidentLater(figures);
  row.live_at_end_bytes = Measured(figures.live_at_end_bytes);
  row.sampled = figures.sampled;
  row.error_bytes = TwoDeviations(row.live_at_peak_bytes ? figures.peak_variance : figures.variance);
}

// Its index; nothing if all frames are Spark's or the JDK's.
std::optional<uint32_t> InnermostOutsidePlatform(const std::vector<ReportFrame>& frames) {
  for (size_t i = frames.size(); i-- > 0;) {
    if (frames[i].language == Language::kJava && !IsPlatformCode(frames[i].function)) return static_cast<uint32_t>(i);
  }
  return std::nullopt;
}

// A task's sites as a reader sees them. Several stacks may show the same frames; within a task their figures are added. One of
// the stacks represents all of them; it makes no difference which.
struct ShownSite {
  SiteKey original;
  SiteFigures figures;
};
using ShownSites = std::unordered_map<SiteKey, ShownSite, SiteKeyHash>;  // by key with the shown stack

ShownSites ShownSitesOf(const InternedProfile& task, const NamedStacks& stacks) {
  ShownSites sites;
  sites.reserve(task.sites.size());
  for (const InternedSite& site : task.sites) {
    SiteKey key{stacks.ShownStack(site.key), site.key.udf, site.key.origin};
    auto [entry, added] = sites.try_emplace(key, site.key, site.figures);
    if (!added) AddWithinTask(site.figures, entry->second.figures);
  }
  return sites;
}

}  // namespace

TaskPeak::TaskPeak(const InternedProfile& task) {
  for (const InternedSite& site : task.sites) {
    if (site.figures.live_at_peak_bytes == kUnmeasured) continue;
    live_at_peak_bytes[IndexOf(site.key.origin)] += site.figures.live_at_peak_bytes;
    measured |= 1u << IndexOf(site.key.origin);
  }
  for (const auto& [origin, figures] : task.remainders) {
    if (origin != Origin::kJvmHeap) live_at_peak_bytes[IndexOf(origin)] += figures.live_at_peak_bytes;
  }
}

std::array<uint64_t, kOrigins> AllocatedBy(const InternedProfile& task) {
  std::array<uint64_t, kOrigins> allocated{};
  for (const InternedSite& site : task.sites) allocated[IndexOf(site.key.origin)] += site.figures.allocated_bytes;
  for (const auto& [origin, rest] : task.remainders) allocated[IndexOf(origin)] += rest.allocated_bytes;
  return allocated;
}

void SiteRollup::AddTask(const InternedProfile& task) {
  for (const auto& [key, site] : ShownSitesOf(task, stacks_)) {
    auto [entry, added] = sites_.try_emplace(key, site.figures);
    if (!added) AddOverTasks(site.figures, entry->second);
  }
  for (const auto& [key, figures] : LinesOf(task, leads_)) AddLine(key, figures);
  AddEachOverTasks(UdfsOf(task), udfs_);
  for (const InternedSite& site : task.sites) Note(site.key);
  for (const auto& [origin, figures] : task.remainders) AddRemainder(figures, remainders_[IndexOf(origin)]);
  TaskPeak peak(task);
  RaiseTo(peak.live_at_peak_bytes, live_at_peak_bytes_);
  measured_live_ |= peak.measured;
  arrow_pool_.Raise(task.arrow_pool);
}

void SiteRollup::AddFolded(const FoldedTasks& folded) {
  for (const auto& [key, figures] : folded.sites) {
    auto [entry, added] = sites_.try_emplace({stacks_.ShownStack(key), key.udf, key.origin}, figures);
    if (!added) AddOverTasks(figures, entry->second);
    Note(key);
  }
  for (const auto& [key, figures] : folded.lines) AddLine(key, figures);
  AddEachOverTasks(folded.udfs, udfs_);
  for (size_t origin = 0; origin < kOrigins; ++origin) AddRemainder(folded.remainders[origin], remainders_[origin]);
  RaiseTo(folded.live_at_peak_bytes, live_at_peak_bytes_);
  measured_live_ |= folded.measured_live;
  arrow_pool_.Raise(folded.arrow_pool);
}

void SiteRollup::AddLine(const LineKey& key, const SiteFigures& figures) {
  auto [entry, added] = lines_.try_emplace({stacks_.ShownFrame(key.frame), key.udf}, figures);
  if (!added) AddOverTasks(figures, entry->second);
}

void SiteRollup::Note(const SiteKey& site) {
  if (site.origin != Origin::kPython) {
    if (const uint32_t number = operators_.Of(site.stack)) {
      operator_of_site_[{stacks_.ShownStack(site), site.udf, site.origin}] = number;
    }
    return;
  }
  LineKey line{stacks_.ShownFrame(leads_.FrameOf(site.stack)), site.udf};
  const SiteKey shown{stacks_.ShownStack(site), site.udf, site.origin};
  lines_of_site_[shown] = line;
  if (leads_.IsUsers(site.stack)) users_sites_.insert(shown);
}

bool SiteRollup::Before(const Shown& a, const Shown& b) const {
  auto weight_a = WeightOf(a.figures), weight_b = WeightOf(b.figures);
  if (weight_a != weight_b) return weight_a > weight_b;
  if (a.key.origin != b.key.origin) return a.key.origin < b.key.origin;
  // Equally heavy sites are sorted by text, because ids depend on the order in which messages came.
  ReportSite site_a = MakeSite(a), site_b = MakeSite(b);
  return std::tie(site_a.udf, site_a.frames) < std::tie(site_b.udf, site_b.frames);
}

ReportSite SiteRollup::MakeSite(const Shown& shown) const {
  ReportSite site;
  site.origin = shown.key.origin;
  site.udf = UdfRow(shown.key.udf, interner_);
  PutFigures(shown.figures, site);
  site.frames = stacks_.Frames(shown.key.stack);
  if (const auto known = operator_of_site_.find(shown.key); known != operator_of_site_.end()) {
    site.spark_operator = operators_.Name(known->second);
  }
  if (site.origin != Origin::kPython) site.asked_by = InnermostOutsidePlatform(site.frames);
  return site;
}

std::vector<ReportOperator> SiteRollup::MakeOperators() const {
  std::map<std::pair<uint32_t, Origin>, ReportOperator> sums;
  for (const auto& [key, number] : operator_of_site_) {
    const auto site = sites_.find(key);
    if (site == sites_.end()) continue;
    ReportOperator& sum = sums[{number, key.origin}];
    sum.name = operators_.Name(number);
    sum.origin = key.origin;
    ++sum.sites;
    sum.allocated_bytes += site->second.allocated_bytes;
    sum.allocations += site->second.allocations;
  }
  std::vector<ReportOperator> operators;
  for (auto& [key, sum] : sums) operators.push_back(std::move(sum));
  std::sort(operators.begin(), operators.end(), [](const ReportOperator& a, const ReportOperator& b) {
    return std::tie(b.allocated_bytes, a.name, a.origin) < std::tie(a.allocated_bytes, b.name, b.origin);
  });
  if (operators.size() > kMostOperators) operators.resize(kMostOperators);
  return operators;
}

std::vector<ReportUdfShare> SiteRollup::MakeUdfs() const {
  std::vector<ReportUdfShare> shares;
  for (const auto& [id, figures] : udfs_) {
    ReportUdfShare& share = shares.emplace_back();
    share.udf = UdfRow(id, interner_);
    PutFigures(figures, share);
  }
  std::sort(shares.begin(), shares.end(), [](const ReportUdfShare& a, const ReportUdfShare& b) {
    return std::tie(b.live_at_peak_bytes, b.allocated_bytes, a.udf) < std::tie(a.live_at_peak_bytes, a.allocated_bytes, b.udf);
  });
  if (shares.size() > kMostUdfs) shares.resize(kMostUdfs);
  return shares;
}

std::vector<ReportLine> SiteRollup::MakeLines(size_t most, const std::vector<SiteKey>& rows) const {
  std::vector<std::pair<LineKey, ReportLine>> lines;
  for (const auto& [key, figures] : lines_) {
    ReportLine& line = lines.emplace_back(key, ReportLine()).second;
    line.udf = UdfRow(key.udf, interner_);
    if (key.frame != 0) {
      const InternedFrame& frame = stacks_.FrameAt(key.frame);
      line.function = interner_.StringAt(frame.function);
      line.file = interner_.ShownAt(frame.file);
      line.line = frame.line;
      line.source = source_.Find(frame, interner_);
    }
    PutFigures(figures, line);
  }
  const auto rank = [](const ReportLine& line) {
    return std::tuple<bool, uint64_t, uint64_t, const std::string&, uint32_t, const std::string&, const std::optional<ReportUdf>&>(
        !line.live_at_peak_bytes, ~line.live_at_peak_bytes.value_or(0), ~line.allocated_bytes, line.file, line.line, line.function,
        line.udf);
  };
  std::vector<std::pair<LineKey, ReportLine>*> order;  // lines are large: they aren't moved about
  for (auto& line : lines) order.push_back(&line);
  std::sort(order.begin(), order.end(), [&](const auto* a, const auto* b) { return rank(a->second) < rank(b->second); });
  if (order.size() > most) order.resize(most);
  std::unordered_map<LineKey, ReportLine*, LineKeyHash> by_key;
  for (auto* line : order) by_key.emplace(line->first, &line->second);
  for (uint32_t row = 0; row < rows.size(); ++row) {
    auto line = lines_of_site_.find(rows[row]);
    auto shown = line == lines_of_site_.end() ? by_key.end() : by_key.find(line->second);
    if (shown != by_key.end()) shown->second->sites.push_back(row);
  }
  std::vector<ReportLine> made;
  for (auto* line : order) made.push_back(std::move(line->second));
  return made;
}

std::vector<bool> SiteRollup::Chosen(const std::vector<Shown>& order, size_t sites_per_origin) const {
  std::vector<bool> chosen(order.size());
  std::array<size_t, kOrigins> rows{};
  std::vector<size_t> by_peak;
  for (size_t i = 0; i < order.size(); ++i) {
    if (users_sites_.contains(order[i].key)) by_peak.push_back(i);
  }
  std::vector<size_t> by_allocated = by_peak;
  std::stable_sort(by_allocated.begin(), by_allocated.end(),
                   [&](size_t a, size_t b) { return order[a].figures.allocated_bytes > order[b].figures.allocated_bytes; });
  auto choose = [&](size_t i, size_t most) {
    size_t& taken = rows[IndexOf(order[i].key.origin)];
    if (chosen[i] || taken >= most) return;
    chosen[i] = true;
    ++taken;
  };
  for (size_t turn = 0; turn < by_peak.size(); ++turn) {
    choose(by_peak[turn], sites_per_origin / 2);
    choose(by_allocated[turn], sites_per_origin / 2);
  }
  for (size_t i = 0; i < order.size(); ++i) choose(i, sites_per_origin);
  return chosen;
}

uint64_t SiteRollup::Fill(const Room& room, ReportSiteGroup& group, bool& awaits_names) const {
  uint64_t bytes = 0;
  std::vector<Shown> order;
  order.reserve(sites_.size());
  for (const auto& [key, figures] : sites_) order.push_back({key, figures});
  std::sort(order.begin(), order.end(), [this](const Shown& a, const Shown& b) { return Before(a, b); });

  std::array<OriginFigures, kOrigins> remainders = remainders_, totals = remainders_;
  const std::vector<bool> chosen = Chosen(order, room.sites_per_origin);
  std::array<size_t, kOrigins> shown_sites{};
  std::vector<SiteKey> rows;
  for (size_t i = 0; i < order.size(); ++i) {
    const Shown& site = order[i];
    size_t origin = IndexOf(site.key.origin);
    OriginFigures figures{1, site.figures.allocated_bytes, site.figures.allocations, 0};
    AddRemainder(figures, totals[origin]);
    const bool full = shown_sites[origin] >= room.fewest_sites && bytes >= room.bytes;
    if (!chosen[i] || full) {
      AddRemainder(figures, remainders[origin]);
      continue;
    }
    ++shown_sites[origin];
    rows.push_back(site.key);
    bytes += JsonBytes(group.sites.emplace_back(MakeSite(site)));
    awaits_names = awaits_names || stacks_.AwaitsName(site.key.stack);
  }
  group.arrow_pool = {arrow_pool_.peak_bytes, arrow_pool_.end_bytes, arrow_pool_.growth_bytes};
  group.lines = MakeLines(room.sites_per_origin, rows);
  for (const ReportLine& line : group.lines) bytes += JsonBytes(line);
  group.udfs = MakeUdfs();
  for (const ReportUdfShare& share : group.udfs) bytes += JsonBytes(share);
  group.operators = MakeOperators();
  for (const ReportOperator& each : group.operators) bytes += JsonBytes(each);
  auto sum = [](size_t origin, const OriginFigures& figures) {
    return ReportOriginSum{static_cast<Origin>(origin), figures.sites, figures.allocated_bytes, figures.allocations, std::nullopt};
  };
  for (size_t origin = 0; origin < kOrigins; ++origin) {
    if (totals[origin].sites == 0 && totals[origin].allocated_bytes == 0) continue;
    if (remainders[origin].sites != 0 || remainders[origin].allocated_bytes != 0)
      group.remainders.push_back(sum(origin, remainders[origin]));
    ReportOriginSum& total = group.totals.emplace_back(sum(origin, totals[origin]));
    if (measured_live_ >> origin & 1) total.live_at_peak_bytes = live_at_peak_bytes_[origin];
  }
  return bytes;
}

void FoldTask(const InternedProfile& task, const NamedStacks& stacks, const LeadLines& leads, FoldedTasks& folded) {
  AddEachOverTasks(LinesOf(task, leads), folded.lines);
  AddEachOverTasks(UdfsOf(task), folded.udfs);
  for (const auto& [key, site] : ShownSitesOf(task, stacks)) {
    auto [entry, added] = folded.sites.try_emplace(site.original, site.figures);
    if (!added) AddOverTasks(site.figures, entry->second);
  }
  for (const auto& [origin, figures] : task.remainders) AddRemainder(figures, folded.remainders[IndexOf(origin)]);
  TaskPeak peak(task);
  RaiseTo(peak.live_at_peak_bytes, folded.live_at_peak_bytes);
  folded.measured_live |= peak.measured;
  folded.arrow_pool.Raise(task.arrow_pool);
  folded.spark_memory.Add(task.spark_memory);
}

}  // namespace memprof
