// The composition of a process's resident memory at its peak, from its box into the message about the process.
#pragma once

#include <cstdint>
#include <string>

#include "blackbox/box_reader.h"
#include "proto/memprof.pb.h"

namespace memprof {

inline void AddNamedBytes(const std::string& name, uint64_t bytes, google::protobuf::RepeatedPtrField<proto::NamedBytes>* rows) {
  proto::NamedBytes* row = rows->Add();
  row->set_name(name);
  row->set_bytes(bytes);
}

// Adds the rows, largest first, the RSS at which they were measured, and the rest of the process's peak as unattributed. If the peak was
// lower than that RSS, it is raised to it.
void AddRssRows(const RssRows& rows, proto::Process* process);

}  // namespace memprof
