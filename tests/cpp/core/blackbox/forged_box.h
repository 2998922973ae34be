// Makes a changed box believable: every check and checksum is computed anew, so that a reader gets to see the change itself
// and not only that there was one. For the mutation test and the fuzzer.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "blackbox/layout.h"

namespace memprof::box {

inline void Forge(std::string& bytes) {
  if (bytes.size() < kHeaderBytes) return;
  Header header;
  memcpy(&header, bytes.data(), sizeof header);
  // Records of a table that lie within the bytes, wherever the header says they are.
  auto each = [&](TableKind kind, uint64_t most, auto record, auto change) {
    const Table& table = header.tables[kind];
    for (uint64_t i = 0; i < std::min<uint64_t>(table.capacity, most); ++i) {
      const uint64_t at = table.offset + i * sizeof record;
      if (at > bytes.size() || bytes.size() - at < sizeof record) return;
      memcpy(&record, bytes.data() + at, sizeof record);
      change(record, static_cast<uint32_t>(i));
      memcpy(bytes.data() + at, &record, sizeof record);
    }
  };
  auto seal = [](auto& recorded, TableKind kind, uint32_t index) {
    for (auto& copy : recorded.copies) copy.checksum = copy.ChecksumAs(copy.sequence, RecordSeed(kind, index));
  };
  each(kSessionTable, kSessions, SessionSlot(), [&](SessionSlot& slot, uint32_t i) { seal(slot.session, kSessionTable, i); });
  each(kUdfTable, kSessions * kUdfsPerSession, Udf(), [](Udf& udf, uint32_t i) { udf.check = CheckOf(udf, i); });
  each(kCounterTable, kSessions * kCountersPerSession, TwoCopies<Counter>(),
       [&](TwoCopies<Counter>& counter, uint32_t i) { seal(counter, kCounterTable, i); });
  each(kSiteTable, 64, TwoCopies<Site>(), [&](TwoCopies<Site>& site, uint32_t i) { seal(site, kSiteTable, i); });
  each(kNodeTable, 512, Node(), [](Node& node, uint32_t i) { node.check = CheckOf(node, i + 1); });
  each(kFrameTable, 512, Frame(), [](Frame& frame, uint32_t i) { frame.check = CheckOf(frame, i + 1); });
  each(kModuleTable, 64, Module(), [](Module& module, uint32_t i) { module.check = CheckOf(module, i + 1); });
  each(kRssMomentTable, 1, TwoCopies<RssMoment>(), [&](TwoCopies<RssMoment>& moment, uint32_t i) { seal(moment, kRssMomentTable, i); });
  each(kRssRowTable, 2 * kRssRowsPerMoment, RssRow(), [](RssRow& row, uint32_t i) { row.check = CheckOf(row, i); });
  each(kIncidentTable, kIncidentKinds, TwoCopies<Incident>(),
       [&](TwoCopies<Incident>& incident, uint32_t i) { seal(incident, kIncidentTable, i); });
  const Table& strings = header.tables[kStringTable];
  const uint64_t end = strings.offset + std::min<uint64_t>(strings.capacity, header.committed.string_bytes);
  for (uint64_t at = strings.offset + 8; at < end && end <= bytes.size() && end - at >= sizeof(StringHead);) {
    StringHead head;
    memcpy(&head, bytes.data() + at, sizeof head);
    if (head.size > end - at - sizeof head) break;
    head.check = CheckOfString(bytes.data() + at + sizeof head, head.size, static_cast<uint32_t>(at - strings.offset));
    memcpy(bytes.data() + at, &head, sizeof head);
    at += sizeof head + (head.size + 3) / 4 * 4;
  }
  header.magic = kMagic;
  header.version = kVersion;
  header.checksum = HeaderChecksum(header);
  memcpy(bytes.data(), &header, sizeof header);
}

}  // namespace memprof::box
