#include "program/process_profile.h"

#include <algorithm>
#include <map>
#include <vector>

#include "proto/memprof.pb.h"
#include "symbols/symbolizer.h"

namespace memprof {
namespace {

class Strings {
 public:
  explicit Strings(proto::TaskProfile* profile) : profile_(profile) { Index(""); }

  uint32_t Index(const std::string& text) {
    const auto [entry, added] = known_.try_emplace(text, static_cast<uint32_t>(profile_->strings_size()));
    if (added) profile_->add_strings(text);
    return entry->second;
  }

 private:
  proto::TaskProfile* profile_;
  std::map<std::string, uint32_t> known_;
};

// Names of the native frames, by index; "" where the module has none.
std::vector<std::string> NativeNamesOf(const std::vector<BoxFrame>& frames) {
  std::vector<std::string> names(frames.size());
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> modules;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].language == Language::kNative) modules[{frames[i].module, frames[i].build_id}].push_back(i);
  }
  for (const auto& [module, indexes] : modules) {
    std::vector<uint64_t> addresses;
    for (const size_t i : indexes) addresses.push_back(frames[i].offset);
    const Result<std::vector<std::string>> found = NameFunctions(module.first, module.second, addresses);
    if (!found.ok()) continue;  // shown as module and offset
    for (size_t i = 0; i < indexes.size(); ++i) names[indexes[i]] = (*found)[i];
  }
  return names;
}

// What Python and this profiler do before the program's first line.
bool IsMachinery(const BoxFrame& frame) {
  return frame.file == "<frozen runpy>" || frame.file.ends_with("/runpy.py") || frame.file.ends_with("/sparkmemprof/program.py") ||
         frame.file.ends_with("/sparkmemprof/startup/sitecustomize.py");
}

void AddTables(const BoxSession& session, const std::vector<std::string>& names, proto::TaskProfile* profile) {
  Strings strings(profile);
  for (size_t i = 0; i < session.frames.size(); ++i) {
    const BoxFrame& frame = session.frames[i];
    proto::Frame* message = profile->add_frames();
    message->set_language(static_cast<proto::Language>(frame.language));
    message->set_function(strings.Index(frame.language == Language::kNative ? names[i] : frame.function));
    message->set_file(strings.Index(frame.file));
    message->set_line(frame.line);
    message->set_module(strings.Index(frame.module));
    message->set_build_id(strings.Index(frame.build_id));
    message->set_offset(frame.offset);
    message->set_first_line(frame.first_line);
    message->set_in_framework(IsMachinery(frame));
  }
  for (const BoxStackNode& node : session.stacks) {
    proto::Stack* message = profile->add_stacks();
    // Parents come before their children; anything else is a broken record, and shown without what it hangs on.
    message->set_parent(node.parent < static_cast<uint32_t>(profile->stacks_size()) ? node.parent : 0);
    message->set_frame(std::min<uint32_t>(node.frame, static_cast<uint32_t>(session.frames.size()) - 1));
  }
}

void AddSite(const BoxSite& site, proto::TaskProfile* profile) {
  proto::Site* message = profile->add_sites();
  message->set_origin(proto::ORIGIN_PYTHON);
  message->set_stack(site.stack <= static_cast<uint32_t>(profile->stacks_size()) ? site.stack : 0);
  message->set_allocated_bytes(site.allocated_bytes);
  message->set_allocations(site.allocations);
  message->set_live_bytes(site.live_bytes);
  message->set_live_at_peak_bytes(site.live_at_peak_bytes);
  if (site.has_resident) message->set_resident_at_peak_bytes(site.resident_at_peak_bytes);
  message->set_sampled(site.sampled);
  message->set_udf(1);
  message->set_variance(site.variance);
  message->set_peak_variance(site.peak_variance);
}

void AddRemainder(const std::vector<BoxSite>& sites, size_t first, proto::TaskProfile* profile) {
  if (first == sites.size()) return;
  proto::Remainder rest;
  for (size_t i = first; i < sites.size(); ++i) {
    rest.set_allocated_bytes(rest.allocated_bytes() + sites[i].allocated_bytes);
    rest.set_allocations(rest.allocations() + sites[i].allocations);
    rest.set_live_at_peak_bytes(rest.live_at_peak_bytes() + sites[i].live_at_peak_bytes);
    rest.set_variance(rest.variance() + sites[i].variance);
  }
  rest.set_origin(proto::ORIGIN_PYTHON);
  rest.set_sites(sites.size() - first);
  *profile->add_remainders() = rest;
}

}  // namespace

std::string ProcessProfile(const BoxIdentity& box, const BoxSession& session, const std::string& program, int32_t task, size_t max_bytes) {
  proto::Envelope envelope;
  envelope.set_schema_version(1);
  envelope.set_executor_id("driver");
  proto::TaskProfile* profile = envelope.mutable_task();
  profile->set_task_attempt_id(task);
  profile->set_sequence(1);
  profile->set_final(true);
  profile->set_partial(!session.closed || !session.checksum_ok);
  profile->set_partition(task);
  profile->set_start_ms(session.opened_ms);
  profile->set_taken_ms(session.closed_ms);
  profile->set_python_interval_bytes(box.interval_bytes);
  proto::Session* described = profile->add_sessions();
  described->set_pid(box.pid);
  described->set_number(session.number);
  described->set_closed(session.closed);
  described->set_checksum_ok(session.checksum_ok);
  described->set_opened_ms(session.opened_ms);
  described->set_closed_ms(session.closed_ms);
  described->set_live_peak_bytes(session.live_peak_bytes);
  described->set_allocated_bytes(session.allocated_bytes);
  described->set_rss_at_open_bytes(session.rss_at_open_bytes);
  described->set_rss_max_bytes(session.rss_max_bytes);
  described->set_python_version(box.python_version);
  for (const BoxCounter& counter : session.counters) {
    if (counter.name == kPeakRssCounter) continue;  // the process's own row has it
    proto::Counter* message = described->add_counters();
    message->set_name(counter.name);
    message->set_value(counter.value);
  }
  if (session.skipped_records != 0) {
    proto::Counter* skipped = profile->add_counters();
    skipped->set_name("skippedBoxRecords");
    skipped->set_value(session.skipped_records);
  }
  proto::Udf* udf = profile->add_udfs();  // views put a program's lines under its name as they do a function's
  udf->set_name(program);
  udf->set_kind("PROGRAM");
  if (!session.frames.empty()) AddTables(session, NativeNamesOf(session.frames), profile);

  std::vector<BoxSite> sites = session.sites;
  std::stable_sort(sites.begin(), sites.end(), [](const BoxSite& a, const BoxSite& b) {
    return a.live_at_peak_bytes != b.live_at_peak_bytes ? a.live_at_peak_bytes > b.live_at_peak_bytes
                                                        : a.allocated_bytes > b.allocated_bytes;
  });
  // Frames and stacks are bounded by the box; where they leave too little room, the heaviest half of the sites is tried.
  for (size_t kept = sites.size();; kept /= 2) {
    profile->clear_sites();
    profile->clear_remainders();
    for (size_t i = 0; i < kept; ++i) AddSite(sites[i], profile);
    AddRemainder(sites, kept, profile);
    if (envelope.ByteSizeLong() <= max_bytes) break;
    if (kept != 0) continue;
    profile->clear_frames();
    profile->clear_stacks();
    profile->clear_strings();
    break;
  }
  return envelope.SerializeAsString();
}

}  // namespace memprof
