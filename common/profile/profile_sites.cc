#include "profile/profile_sites.h"

#include <algorithm>

namespace memprof {
namespace {

void AddTo(std::optional<double>* sum, const std::optional<double>& value) {
  if (value) *sum = sum->value_or(0) + *value;
}

void AddAllocated(ProfileSite* sum, const ProfileSite& site) {
  sum->sampled |= site.sampled;
  sum->allocated_bytes += site.allocated_bytes;
  sum->allocations += site.allocations;
  sum->variance += site.variance;
  AddTo(&sum->live_bytes, site.live_bytes);
}

void AddHeld(ProfileSite* sum, const ProfileSite& site) {
  AddTo(&sum->live_at_peak_bytes, site.live_at_peak_bytes);
  AddTo(&sum->peak_variance, site.peak_variance);
  AddTo(&sum->resident_at_peak_bytes, site.resident_at_peak_bytes);
  sum->read_at_peak_bytes += site.read_at_peak_bytes;
  sum->resident_later_bytes += site.resident_later_bytes;
}

// What a session held at another moment counts as a measured zero at this one.
ProfileSite NothingHeld(ProfileSite site) {
  for (std::optional<double>* figure : {&site.live_at_peak_bytes, &site.peak_variance, &site.resident_at_peak_bytes}) {
    if (*figure) *figure = 0;
  }
  site.read_at_peak_bytes = site.resident_later_bytes = 0;
  return site;
}

}  // namespace

uint32_t ProfileSites::AddFrame(ProfileFrame frame) {
  std::string key;
  key.reserve(frame.function.size() + frame.file.size() + frame.module.size() + 48);
  for (const std::string* text : {&frame.function, &frame.file, &frame.module, &frame.build_id}) key.append(*text).push_back('\0');
  for (const uint64_t number :
       {uint64_t{static_cast<uint8_t>(frame.language)}, uint64_t{frame.line}, uint64_t{frame.first_line}, frame.offset}) {
    key.append(std::to_string(number)).push_back(',');
  }
  const auto [entry, added] = frame_index_.try_emplace(std::move(key), static_cast<uint32_t>(frames_.size()));
  if (added) frames_.push_back(std::move(frame));
  return entry->second;
}

uint32_t ProfileSites::AddNode(uint32_t parent, uint32_t frame) {
  const auto [entry, added] =
      node_index_.try_emplace(static_cast<uint64_t>(parent) << 32 | frame, static_cast<uint32_t>(nodes_.size() + 1));
  if (added) nodes_.push_back({parent, frame});
  return entry->second;
}

size_t ProfileSites::IndexOf(const ProfileSite& site) {
  const auto [entry, added] = site_index_.try_emplace({site.origin, site.stack, site.udf}, sites_.size());
  if (added) {
    sites_.emplace_back();
    sites_.back().origin = site.origin;
    sites_.back().stack = site.stack;
    sites_.back().udf = site.udf;
  }
  return entry->second;
}

void ProfileSites::Add(const ProfileSite& site) {
  ProfileSite* sum = &sites_[IndexOf(site)];
  AddAllocated(sum, site);
  AddHeld(sum, site);
}

uint32_t ProfileSites::AddSession(const SessionSpan& span) {
  sessions_.push_back(span);
  return static_cast<uint32_t>(sessions_.size() - 1);
}

void ProfileSites::Add(const ProfileSite& site, uint32_t session) {
  const size_t index = IndexOf(site);
  AddAllocated(&sites_[index], site);
  std::vector<Held>& held = held_[index];
  // Two sites of a session are one here when they differ only by what a profile doesn't keep.
  if (!held.empty() && held.back().session == session) {
    AddHeld(&held.back().site, site);
  } else {
    held.push_back({session, site});
  }
}

void ProfileSites::JoinSessions() {
  std::vector<SessionShare> shares;
  for (const SessionSpan& span : sessions_) shares.push_back({span, {}});
  for (const auto& [index, held] : held_) {
    for (const auto& [session, site] : held) {
      shares[session].held.bytes += site.live_at_peak_bytes.value_or(0);
      shares[session].held.variance += site.peak_variance.value_or(0);
    }
  }
  std::vector<bool> chosen(sessions_.size());
  for (const size_t session : LargestTogether(shares)) chosen[session] = true;
  for (const auto& [index, held] : held_) {
    for (const auto& [session, site] : held) AddHeld(&sites_[index], chosen[session] ? site : NothingHeld(site));
  }
  held_.clear();
}

bool ProfileSites::IsUsers(uint32_t node) const {
  bool users = false;
  for (; node != 0; node = nodes_[node - 1].parent) {
    const ProfileFrame& frame = frames_[nodes_[node - 1].frame];
    if (frame.language != Language::kPython) continue;
    if (frame.file.starts_with("<frozen importlib") || frame.file.starts_with("<frozen zipimport")) return false;
    users |= !frame.in_framework;
  }
  return users;
}

std::vector<uint32_t> ProfileSites::FramesOf(uint32_t node) const {
  std::vector<uint32_t> frames;
  for (; node != 0; node = nodes_[node - 1].parent) frames.push_back(nodes_[node - 1].frame);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

}  // namespace memprof
