// Reads one session of a box from its tables, while its owner may go on writing.
#include <algorithm>

#include "blackbox/box_reader.h"
#include "blackbox/box_reader_state.h"
#include "blackbox/session_assembler.h"
#include "blackbox/session_figures.h"

namespace memprof {

using box::TwoCopies;

Result<BoxSession> BoxReader::ReadSession(uint64_t number) const {
  auto gone = [&] {
    return Status::Error(ErrorCode::kNotFound, "black box %s has no session %llu", impl_->path.c_str(),
                         static_cast<unsigned long long>(number));
  };
  SessionView view;
  box::Committed committed = {};
  std::vector<TwoCopies<box::Site>> sites;
  BoxSession out;
  SessionAssembler assembler(&out, &impl_->work);

  // Reads sites first, then what they refer to: so each reference is within what was committed. The session is read before and
  // after. If its peak is the same both times (and it was not recycled), all that was read belongs together.
  if (!impl_->ReadView(number, &view)) return impl_->Unread();
  for (int attempt = 1; view.found; ++attempt) {
    const SessionView before = view;
    if (!impl_->ReadTable(box::kSiteTable, 0, impl_->header.tables[box::kSiteTable].capacity, &sites)) return impl_->Unread();
    if (!impl_->ReadCommitted(&committed) || !impl_->ReadTable(box::kNodeTable, 0, committed.nodes, &assembler.nodes) ||
        !impl_->ReadTable(box::kFrameTable, 0, committed.frames, &assembler.frames) ||
        !impl_->ReadTable(box::kModuleTable, 0, committed.modules, &assembler.modules) ||
        !impl_->ReadTable(box::kStringTable, 0, committed.string_bytes, &assembler.strings) || !impl_->ReadView(number, &view)) {
      return impl_->Unread();
    }
    bool is_one_state = view.session.total.epoch == before.session.total.epoch && view.session.state == before.session.state;
    if (is_one_state || attempt == kAttempts) break;
  }
  if (!view.found) return gone();
  const box::Session& session = view.session;
  out = SessionOf(session);
  box::Committed after = {};
  if (!impl_->ReadCommitted(&after)) return impl_->Unread();
  bool names = committed.intern_epoch == session.intern_epoch && after.intern_epoch == session.intern_epoch;
  if (!names) {
    // The tables were emptied, which the writer never does while a session refers to them: the session's record is damaged.
    ++out.skipped_records;
    assembler.nodes.clear();
    assembler.frames.clear();
    assembler.modules.clear();
    assembler.strings.clear();
  }

  uint64_t seal = 0;
  int rereads = kMostRereads;
  for (uint32_t index = 0; index < sites.size() && !impl_->work.beyond(); ++index) {
    ++impl_->work.records;
    if (sites[index].NeverWritten()) continue;
    const auto* copy = impl_->Newest(box::kSiteTable, index, sites[index], &rereads);
    if (copy == nullptr) {
      // It isn't known whose record it was; it is counted for each session that it may have belonged to.
      ++out.skipped_records;
      continue;
    }
    if (copy->value.session != number) continue;
    seal += box::SealShare(copy->checksum, index);
    BoxSite site = SiteOf(copy->value, session.total);
    if (!Plausible(site)) {
      ++out.skipped_records;
      continue;
    }
    site.stack = assembler.Stack(copy->value.node);
    out.sites.push_back(site);
  }
  out.checksum_ok = out.closed && seal == session.seal;

  uint32_t first_udf = view.slot * box::kUdfsPerSession;
  std::vector<box::Udf> udfs;
  if (!impl_->ReadTable(box::kUdfTable, first_udf, std::min(session.udfs, box::kUdfsPerSession), &udfs)) return impl_->Unread();
  for (uint32_t i = 0; i < udfs.size(); ++i) {
    if (udfs[i].session != number || udfs[i].check != box::CheckOf(udfs[i], first_udf + i)) {
      ++out.skipped_records;
      continue;
    }
    out.udfs.push_back({assembler.StringAt(udfs[i].name), assembler.StringAt(udfs[i].file), assembler.StringAt(udfs[i].kind), udfs[i].line,
                        udfs[i].is_generator != 0});
  }
  uint32_t first_counter = view.slot * box::kCountersPerSession;
  std::vector<TwoCopies<box::Counter>> counters;
  if (!impl_->ReadTable(box::kCounterTable, first_counter, std::min(session.counters, box::kCountersPerSession), &counters)) {
    return impl_->Unread();
  }
  for (uint32_t i = 0; i < counters.size(); ++i) {
    const auto* copy = impl_->Newest(box::kCounterTable, first_counter + i, counters[i], &rereads);
    if (copy == nullptr || copy->value.session != number) {
      ++out.skipped_records;
      continue;
    }
    out.counters.push_back({assembler.StringAt(copy->value.name), copy->value.value});
  }
  std::vector<TwoCopies<box::Incident>> incidents;
  if (!impl_->ReadTable(box::kIncidentTable, 0, box::kIncidentKinds, &incidents)) return impl_->Unread();
  for (uint32_t kind = 0; kind < incidents.size(); ++kind) {
    const auto* copy = impl_->Newest(box::kIncidentTable, kind, incidents[kind], &rereads);
    if (copy == nullptr || copy->value.session != number) continue;  // never written, or another session's
    if (!Plausible(copy->value, kind)) {
      ++out.skipped_records;
      continue;
    }
    out.incidents.push_back(IncidentOf(copy->value));
    if (copy->value.intern_epoch == committed.intern_epoch) out.incidents.back().stack = assembler.Stack(copy->value.node);
  }
  if (impl_->work.beyond()) return impl_->GivenUp();
  return out;
}

}  // namespace memprof
