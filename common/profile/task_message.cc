#include "profile/task_message.h"

#include "profile/profile_cut.h"
#include "proto/envelope.h"

namespace memprof {
namespace {

constexpr size_t kFieldBytes = 8;  // the profile's tag and length in the Envelope, at most

}  // namespace

TaskMessage::TaskMessage(const std::string& executor_id)
    : envelope_(EnvelopeOf(executor_id)), wrapping_bytes_(envelope_.ByteSizeLong() + kFieldBytes) {}

BuiltMessage TaskMessage::Build(size_t max_bytes) {
  WriteSites(sites_, max_bytes > wrapping_bytes_ ? max_bytes - wrapping_bytes_ : 0, profile());
  return {envelope_.SerializeAsString(), SourceLinesOf(*profile(), sites_)};
}

}  // namespace memprof
