// TaskMessage: the Envelope about one task while it is made, for an executor's agent and for a program without Spark alike.
//
//   TaskMessage message(executor_id);
//   message.profile()->set_…                 what is known of the task itself
//   message.sites()->Add(…)                  what others than Python processes allocated for it
//   message.AddSessions(sessions, names);
//   AddCounter(…, message.profile());        and everything else that must have room before the sites
//   BuiltMessage built = message.Build(max_bytes);
//
// Used by one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profile/profile_sites.h"
#include "profile/python_profile.h"
#include "profile/source_lines.h"
#include "proto/memprof.pb.h"

namespace memprof {

struct BuiltMessage {
  std::string envelope;                   // serialised proto::Envelope
  std::vector<SourceLineKey> user_lines;  // the user's Python lines in it
};

class TaskMessage {
 public:
  explicit TaskMessage(const std::string& executor_id);

  proto::TaskProfile* profile() { return envelope_.mutable_task(); }
  ProfileSites* sites() { return &sites_; }
  void AddSessions(const std::vector<PythonSession>& sessions, const PythonNames& names) {
    AddPythonSessions(sessions, names, &sites_, profile());
  }

  // Call once: writes the sites, cut so that the message takes at most `max_bytes` (see profile_cut.h). profile() may be read afterwards.
  BuiltMessage Build(size_t max_bytes);

 private:
  proto::Envelope envelope_;
  size_t wrapping_bytes_;
  ProfileSites sites_;
};

}  // namespace memprof
