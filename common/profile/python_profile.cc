#include "profile/python_profile.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/counter_names.h"
#include "base/installed_code.h"
#include "base/valid_utf8.h"
#include "profile/python_frames.h"
#include "profile/source_names.h"
#include "profile/withheld.h"

namespace memprof {
namespace {

constexpr size_t kMaxSessions = 32;  // described one by one in a message; all of them are counted in the sites

std::string FileName(const std::string& file, const std::string& working_directory) {
  return ValidUtf8(SourceName(file, working_directory));
}

class UdfList {
 public:
  UdfList(const PythonNames& names, proto::TaskProfile* profile) : names_(names), profile_(profile) {}

  uint32_t Add(const BoxUdf& udf) {  // index + 1
    const auto [entry, added] = known_.try_emplace({udf.name, udf.file, udf.line, udf.kind}, profile_->udfs_size() + 1);
    if (added) {
      proto::Udf* message = profile_->add_udfs();
      const std::string file = FileName(udf.file, names_.working_directory);
      message->set_name(names_.withheld ? Withheld("function", udf.name) : ValidUtf8(udf.name));
      message->set_file(names_.withheld && !file.empty() ? Withheld("file", file) : file);
      message->set_line(udf.line);
      message->set_kind(ValidUtf8(udf.kind));
    }
    return static_cast<uint32_t>(entry->second);
  }

 private:
  const PythonNames& names_;
  proto::TaskProfile* profile_;
  std::map<std::tuple<std::string, std::string, uint32_t, std::string>, int> known_;
};

// One session's frames and stacks, as indexes into the profile's.
class SessionSites {
 public:
  SessionSites(const BoxSession& session, const PythonNames& names, ProfileSites* sites)
      : session_(session), sites_(sites), framework_(session.frames) {
    for (const BoxFrame& box : session.frames) frames_.push_back(AddFrames(box, names));
    for (const BoxStackNode& box : session.stacks) {
      const bool sound = box.parent <= nodes_.size() && box.frame < frames_.size();
      uint32_t node = sound && box.parent != 0 ? nodes_[box.parent - 1] : 0;
      if (sound) {
        for (const uint32_t frame : frames_[box.frame]) node = sites->AddNode(node, frame);
      }
      nodes_.push_back(node);
    }
  }

  ProfileLeftovers Leftovers() const {
    ProfileLeftovers leftovers;
    for (const BoxSite& box : session_.sites) {
      const uint32_t node = NodeOf(box.stack);
      if (box.live_bytes != 0 && sites_->IsUsers(node)) leftovers.sites.push_back({node, static_cast<double>(box.live_bytes)});
    }
    return leftovers;
  }

  void AddIncidents(const BoxIdentity& process) {
    for (const BoxIncident& box : session_.incidents) {
      sites_->Add(ProfileIncident{process.pid, process.process_start_ticks, process.started_by_task, NodeOf(box.stack), box});
    }
  }

  // `number_of`: a UDF's in the profile.
  template <typename NumberOf>
  void AddSites(const SessionSpan& span, NumberOf number_of) {
    const uint32_t number = sites_->AddSession(span);
    for (const BoxSite& box : session_.sites) {
      ProfileSite site;
      site.origin = box.origin;
      site.stack = NodeOf(box.stack);
      const UdfOfStack udf = UdfOf(FramesOf(box.stack), session_.udfs, framework_, udfs_dropped_);
      site.udf = udf.index_plus_1 == 0 ? 0 : number_of(udf);
      site.sampled = box.sampled;
      site.allocated_bytes = static_cast<double>(box.allocated_bytes);
      site.allocations = static_cast<double>(box.allocations);
      site.variance = box.variance;
      site.live_bytes = static_cast<double>(box.live_bytes);
      site.live_at_peak_bytes = static_cast<double>(box.live_at_peak_bytes);
      site.peak_variance = box.peak_variance;
      site.read_at_peak_bytes = static_cast<double>(box.read_at_peak_bytes);
      if (box.read_at_peak_bytes != 0) site.resident_at_peak_bytes = static_cast<double>(box.resident_at_peak_bytes);
      site.resident_later_bytes = static_cast<double>(box.resident_later_bytes);
      sites_->Add(site, number);
    }
  }

 private:
  uint32_t NodeOf(uint32_t stack) const { return stack == 0 || stack > nodes_.size() ? 0 : nodes_[stack - 1]; }

  // Several where the compiler has inlined calls, outermost first.
  std::vector<uint32_t> AddFrames(const BoxFrame& box, const PythonNames& names) {
    ProfileFrame frame;
    frame.language = box.language;
    frame.function = ValidUtf8(box.function);
    frame.file = FileName(box.file, names.working_directory);
    frame.module = ValidUtf8(box.module);
    frame.build_id = ValidUtf8(box.build_id);
    frame.line = box.line;
    frame.first_line = box.first_line;
    frame.offset = box.offset;
    frame.in_framework = framework_.Contains(box);
    if (box.language == Language::kPython && !frame.in_framework && !IsInstalledCode(box.file)) NameUsers(box, names, &frame);
    if (box.language == Language::kNative) return AddNativeFrame(std::move(frame), names.native, sites_);
    return {sites_->AddFrame(std::move(frame))};
  }

  void NameUsers(const BoxFrame& box, const PythonNames& names, ProfileFrame* frame) {
    if (names.withheld) {
      frame->function = Withheld("function", box.function);
      frame->file = Withheld("file", frame->file);
    } else if (!box.file.empty() && box.file[0] != '<') {
      const bool whole = box.file[0] == '/' || names.working_directory.empty();
      sites_->NotePath(frame->file, whole ? box.file : names.working_directory + "/" + box.file);
    }
  }

  std::vector<const BoxFrame*> FramesOf(uint32_t stack) const {
    std::vector<const BoxFrame*> frames;
    while (stack != 0 && stack <= session_.stacks.size()) {
      const BoxStackNode& node = session_.stacks[stack - 1];
      if (node.frame < session_.frames.size()) frames.push_back(&session_.frames[node.frame]);
      if (node.parent >= stack) break;  // parents come before children; anything else would loop
      stack = node.parent;
    }
    std::reverse(frames.begin(), frames.end());
    return frames;
  }

  const BoxSession& session_;
  const bool udfs_dropped_ = std::any_of(session_.counters.begin(), session_.counters.end(),
                                         [](const BoxCounter& counter) { return counter.name == "droppedUdfs"; });
  ProfileSites* sites_;
  PythonFramework framework_;
  std::vector<std::vector<uint32_t>> frames_;
  std::vector<uint32_t> nodes_;
};

SessionSpan SpanOf(const PythonSession& python) {
  SessionSpan span = {python.box.pid, python.box.process_start_ticks, python.session.opened_ms};
  const std::optional<int64_t> end_ms = python.session.closed ? python.session.closed_ms : python.ended_ms;
  if (end_ms) span.end_ms = std::max(span.begin_ms, *end_ms);  // the clock may be set back
  return span;
}

// In the order in which they are applied.
std::vector<uint32_t> EachOnce(std::vector<uint32_t> udfs) {
  std::set<uint32_t> seen;
  std::erase_if(udfs, [&](uint32_t udf) { return !seen.insert(udf).second; });
  return udfs;
}

// Of a thread it has the function, which may be withheld.
std::string CounterName(const BoxCounter& counter, const PythonNames& names) {
  const std::string_view of_thread = kNoTaskPythonBytes;
  if (!names.withheld || !counter.name.starts_with(of_thread)) return ValidUtf8(counter.name);
  const std::string function = counter.name.substr(of_thread.size());
  return kNoTaskPythonBytes + (function == kOtherThreads ? function : Withheld("function", function));
}

void DescribeSession(const PythonSession& python, const std::vector<uint32_t>& udfs, const PythonNames& names, proto::Session* message) {
  const BoxSession& session = python.session;
  message->set_pid(python.box.pid);
  message->set_number(session.number);
  message->set_closed(session.closed);
  message->set_checksum_ok(session.checksum_ok);
  message->set_opened_ms(session.opened_ms);
  message->set_closed_ms(session.closed_ms);
  message->set_looked_ms(session.looked_ms);
  message->set_live_peak_bytes(session.live_peak_bytes);
  message->set_allocated_bytes(session.allocated_bytes);
  message->set_rss_at_open_bytes(session.rss_at_open_bytes);
  message->set_rss_max_bytes(session.rss_max_bytes);
  for (const uint32_t udf : udfs) message->add_udfs(udf);
  message->set_python_version(ValidUtf8(python.box.python_version));
  for (const BoxCounter& counter : session.counters) {
    proto::Counter* added = message->add_counters();
    added->set_name(CounterName(counter, names));
    added->set_value(counter.value);
  }
}

}  // namespace

void AddPythonSessions(const std::vector<PythonSession>& sessions, const PythonNames& names, ProfileSites* sites,
                       proto::TaskProfile* profile) {
  UdfList udf_list(names, profile);
  bool partial = false;
  uint64_t skipped_records = 0, broken_seals = 0;
  for (size_t i = 0; i < sessions.size(); ++i) {
    const PythonSession& python = sessions[i];
    std::vector<uint32_t> udfs;
    for (const BoxUdf& udf : python.session.udfs) udfs.push_back(udf_list.Add(udf));
    SessionSites session(python.session, names, sites);
    session.AddSites(SpanOf(python), [&](const UdfOfStack& found) {
      const size_t index = found.index_plus_1 - 1;
      if (!found.is_one_of_several) return udfs[index];
      const uint32_t joined = udf_list.Add(WithNamesOfItsPlace(python.session.udfs[index], python.session.udfs));
      udfs.push_back(joined);  // behind those that have an index; each counts once below
      return joined;
    });
    udfs = EachOnce(std::move(udfs));
    session.AddIncidents(python.box);
    if (python.leftovers) {
      const BoxSession& process = python.leftovers->process;
      ProfileLeftovers leftovers = SessionSites(process, names, sites).Leftovers();
      leftovers.pid = python.box.pid;
      leftovers.process_start_ticks = python.box.process_start_ticks;
      leftovers.since_ms = process.opened_ms;
      leftovers.session = python.session.number;
      leftovers.through = python.leftovers->through;
      leftovers.open = !python.session.closed;
      leftovers.udfs = udfs;
      sites->Add(std::move(leftovers));
    }
    profile->set_python_interval_bytes(python.box.interval_bytes);
    const bool broken = python.session.closed && !python.session.checksum_ok;
    partial |= !python.session.closed || broken;
    broken_seals += broken;
    skipped_records += python.session.skipped_records;
    if (i < kMaxSessions) DescribeSession(python, udfs, names, profile->add_sessions());
  }
  sites->JoinSessions();
  profile->set_partial(partial);
  AddCounter("skippedBoxRecords", skipped_records, profile);
  AddCounter("brokenSeals", broken_seals, profile);
}

void AddCounter(const std::string& name, uint64_t value, proto::TaskProfile* profile) {
  if (value == 0) return;
  proto::Counter* counter = profile->add_counters();
  counter->set_name(name);
  counter->set_value(value);
}

}  // namespace memprof
