// The Envelope around every message: who reads it and who writes it agree on its version here.
#pragma once

#include <cstdint>
#include <string>

#include "base/valid_utf8.h"
#include "proto/memprof.pb.h"

namespace memprof {

inline constexpr uint32_t kSchemaVersion = 1;

// One without its message yet, from that executor; "" where it does not matter from whom it is.
inline proto::Envelope EnvelopeOf(const std::string& executor_id) {
  proto::Envelope envelope;
  envelope.set_schema_version(kSchemaVersion);
  envelope.set_executor_id(ValidUtf8(executor_id));
  return envelope;
}

// What could not be measured, and why.
inline void AddNotAvailable(const std::string& what, const std::string& why, proto::ExecutorSnapshot* snapshot) {
  proto::NotAvailable* entry = snapshot->add_not_available();
  entry->set_what(ValidUtf8(what));
  entry->set_why(ValidUtf8(why));
}

// A container may have a limit, which can't be seen from inside.
inline void SetLimitUnseen(const std::string& why, proto::ExecutorSnapshot* snapshot) {
  snapshot->set_cgroup_unseen(true);
  AddNotAvailable("the limit of a container", why, snapshot);
}

}  // namespace memprof
