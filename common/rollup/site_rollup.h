// SiteRollup: sites of many tasks to the sites and lines of one stage row. Sites with the same origin, UDF and shown frames are
// one; the heaviest get a row of the report, all others go to a remainder for each origin, so that totals add up.
#pragma once

#include <array>
#include <memory_resource>
#include <unordered_map>
#include <unordered_set>

#include "facts/facts.h"
#include "facts/lead_lines.h"
#include "facts/named_stacks.h"
#include "facts/operators.h"
#include "facts/source_table.h"
#include "report/model.h"

namespace memprof {

// All live bytes of one task, by origin.
struct TaskPeak {
  std::array<uint64_t, kOrigins> live_at_peak_bytes{};
  uint32_t measured = 0;  // bit (1 << origin)

  explicit TaskPeak(const InternedProfile& task);
};

// All bytes that one task allocated, by origin.
std::array<uint64_t, kOrigins> AllocatedBy(const InternedProfile& task);

class SiteRollup {
 public:
  // How much of a report a group may take: sites of each origin, and fewer, down to `fewest_sites`, once they take `bytes`.
  struct Room {
    size_t sites_per_origin = 0, fewest_sites = 0;
    uint64_t bytes = 0;
  };

  SiteRollup(const Interner& interner, const NamedStacks& stacks, const LeadLines& leads, const Operators& operators,
             const SourceTable& source)
      : interner_(interner), stacks_(stacks), leads_(leads), operators_(operators), source_(source) {}

  void AddTask(const InternedProfile& task);
  void AddFolded(const FoldedTasks& folded);

  // Fills UDFs, sites, lines and operators (as many as there is room for), remainders and totals; not `tasks`. Where not all
  // sites get a row, up to half of the rows are for the user's own lines, taken alternately by live bytes at the peak and by
  // bytes allocated. Otherwise imports would displace a function's temporary buffers, which are freed before the peak.
  // `awaits_names` becomes true when a site with a row still needs a name. Returns the approximate JSON size of the rows.
  uint64_t Fill(const Room& room, ReportSiteGroup& group, bool& awaits_names) const;

 private:
  struct Shown {
    SiteKey key;  // with a shown stack
    SiteFigures figures;
  };

  ReportSite MakeSite(const Shown& shown) const;
  // `rows`: the sites that got a row of the report, in its order.
  std::vector<ReportLine> MakeLines(size_t most, const std::vector<SiteKey>& rows) const;
  std::vector<ReportOperator> MakeOperators() const;
  std::vector<ReportUdfShare> MakeUdfs() const;
  void AddLine(const LineKey& key, const SiteFigures& figures);
  void Note(const SiteKey& site);  // whose it is: a line's, an operator's
  bool Before(const Shown& a, const Shown& b) const;
  // Which of `order` (heaviest first) get a row.
  std::vector<bool> Chosen(const std::vector<Shown>& order, size_t sites_per_origin) const;

  const Interner& interner_;
  const NamedStacks& stacks_;
  const LeadLines& leads_;
  const Operators& operators_;
  const SourceTable& source_;
  std::pmr::monotonic_buffer_resource memory_;  // of what follows, all of which goes at once
  std::pmr::unordered_map<SiteKey, SiteFigures, SiteKeyHash> sites_{&memory_};
  std::pmr::unordered_map<LineKey, SiteFigures, LineKeyHash> lines_{&memory_};  // frames as NamedStacks shows them
  std::pmr::unordered_map<UdfId, SiteFigures> udfs_{&memory_};
  std::pmr::unordered_map<SiteKey, LineKey, SiteKeyHash> lines_of_site_{&memory_};      // both as shown
  std::pmr::unordered_map<SiteKey, uint32_t, SiteKeyHash> operator_of_site_{&memory_};  // by shown key; those that have one
  std::pmr::unordered_set<SiteKey, SiteKeyHash> users_sites_{&memory_};                 // charged to a line of the user's own
  std::array<OriginFigures, kOrigins> remainders_{};
  std::array<uint64_t, kOrigins> live_at_peak_bytes_{};
  uint32_t measured_live_ = 0;  // bit (1 << origin)
  ArrowPoolFigures arrow_pool_;
};

// Adds one task to sums without its detail (bounds.h). Keys stay unnamed, but sites that look the same with the names known now
// are merged, as in a row made from the task itself.
void FoldTask(const InternedProfile& task, const NamedStacks& stacks, const LeadLines& leads, FoldedTasks& folded);

}  // namespace memprof
