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

}  // namespace memprof
