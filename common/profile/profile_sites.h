// ProfileSites: the sites of one task from all sides (JVM heap, off-heap, each Python session), with frames and stacks merged by
// content, before they are cut to size. Built and read by one thread; allocates without a bound of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/origin.h"
#include "blackbox/box_reader.h"
#include "profile/session_peaks.h"

namespace memprof {

struct ProfileFrame {
  Language language = Language::kUnknown;
  std::string function, file, module, build_id;
  uint32_t line = 0, first_line = 0;
  uint64_t offset = 0;
  bool in_framework = false;
};

struct ProfileSite {
  Origin origin = Origin::kUnknown;
  uint32_t stack = 0;  // node; 0 = none
  uint32_t udf = 0;    // index + 1 into the profile's UDFs; 0 = none
  bool sampled = false;
  double allocated_bytes = 0, allocations = 0, variance = 0;
  std::optional<double> live_bytes, live_at_peak_bytes, peak_variance;
  std::optional<double> resident_at_peak_bytes;
  double read_at_peak_bytes = 0;    // of live at peak: what resident speaks of
  double resident_later_bytes = 0;  // of resident: first seen when the peak had passed
};

// What the closed sessions of a process have left live (proto::Leftovers).
struct ProfileLeftovers {
  struct Site {
    uint32_t stack;  // node
    double live_bytes;
  };
  int32_t pid = 0;
  uint64_t process_start_ticks = 0;
  int64_t since_ms = 0;
  uint64_t session = 0, through = 0;
  bool open = false;           // the session: it is no part of `sites`
  std::vector<uint32_t> udfs;  // indexes + 1
  std::vector<Site> sites;
};

// An incident of a process (proto::Incident).
struct ProfileIncident {
  int32_t pid = 0;
  uint64_t process_start_ticks = 0;
  bool started_by_task = false;  // the process
  uint32_t stack = 0;            // node; 0 = none
  BoxIncident incident;
};

class ProfileSites {
 public:
  struct Node {
    uint32_t parent;  // index + 1; 0 = root
    uint32_t frame;   // index into frames()
  };

  uint32_t AddFrame(ProfileFrame frame);              // index into frames()
  uint32_t AddNode(uint32_t parent, uint32_t frame);  // node below `parent`
  void Add(const ProfileSite& site);                  // sums with the site of the same origin, stack and UDF
  uint32_t AddSession(const SessionSpan& span);
  // The same for a site of a session. Bytes allocated and bytes left live are summed over all sessions. Bytes held at a moment,
  // live or resident, are joined by JoinSessions(), which is called once after the last session.
  void Add(const ProfileSite& site, uint32_t session);
  void JoinSessions();  // see profile/session_peaks.h

  // The path of the user's Python code that frames call `file`.
  void NotePath(const std::string& file, const std::string& path) { paths_.try_emplace(file, path); }
  const std::string* PathOf(const std::string& file) const {
    const auto found = paths_.find(file);
    return found == paths_.end() ? nullptr : &found->second;
  }

  void Add(ProfileLeftovers leftovers) { leftovers_.push_back(std::move(leftovers)); }
  void Add(const ProfileIncident& incident) { incidents_.push_back(incident); }

  const std::vector<ProfileFrame>& frames() const { return frames_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<ProfileSite>& sites() const { return sites_; }
  const std::vector<ProfileLeftovers>& leftovers() const { return leftovers_; }
  const std::vector<ProfileIncident>& incidents() const { return incidents_; }
  // Memory that the user's own lines requested, not an import or the framework around them.
  bool IsUsers(uint32_t node) const;
  std::vector<uint32_t> FramesOf(uint32_t node) const;  // outermost first, indexes into frames()

 private:
  struct Held {
    uint32_t session;
    ProfileSite site;  // the session's own figures
  };

  size_t IndexOf(const ProfileSite& site);  // into sites_

  std::vector<ProfileFrame> frames_;
  std::vector<Node> nodes_;
  std::vector<ProfileSite> sites_;
  std::vector<ProfileLeftovers> leftovers_;
  std::vector<ProfileIncident> incidents_;
  std::unordered_map<std::string, std::string> paths_;
  std::unordered_map<std::string, uint32_t> frame_index_;
  std::unordered_map<uint64_t, uint32_t> node_index_;
  std::map<std::tuple<Origin, uint32_t, uint32_t>, size_t> site_index_;
  std::vector<SessionSpan> sessions_;
  std::unordered_map<size_t, std::vector<Held>> held_;  // by index into sites_
};

}  // namespace memprof
