// The composition of a process's resident memory at its peak, from its box into the message about the process.
#pragma once

#include <cstdint>
#include <string>

#include "blackbox/box_reader.h"
#include "proto/memprof.pb.h"

namespace memprof {

inline void AddRow(const std::string& name, uint64_t bytes, google::protobuf::RepeatedPtrField<proto::Row>* rows) {
  proto::Row* row = rows->Add();
  row->set_name(name);
  row->set_bytes(bytes);
}

// Adds the rows, largest first, the RSS in which they were measured, and what they leave of the process's peak, which is raised to the RSS
// in which they were measured where it was lower.
void AddProcessRows(const BoxRows& rows, proto::Process* process);

}  // namespace memprof
