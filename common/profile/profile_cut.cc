#include "profile/profile_cut.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace memprof {
namespace {

// The driver refuses a message with a figure beyond any machine's memory. Sums of correct figures may be that large.
constexpr double kLargestFigure = 0x1p56;

uint64_t Rounded(double value) { return value <= 0 ? 0 : static_cast<uint64_t>(std::llround(std::min(value, kLargestFigure))); }

// Bytes of a length-delimited field of a repeated message: its tag (two bytes from field 16 on), its length, itself.
size_t FieldBytes(size_t payload, size_t tag) {
  size_t length = 1;
  for (size_t rest = payload; rest >= 0x80; rest >>= 7) ++length;
  return tag + length + payload;
}

// Writes names and stacks as sites need them and knows what that costs.
class Writer {
 public:
  Writer(const ProfileSites& sites, proto::TaskProfile* profile) : sites_(sites), profile_(profile) {
    profile_->add_strings("");  // index 0
    strings_.emplace("", 0);
    used_ = profile_->ByteSizeLong();
  }

  // Adds the site unless the message would pass `max_bytes`; then nothing changes.
  bool Add(const ProfileSite& site, size_t max_bytes) {
    const State before = Mark();
    proto::Site message;
    message.set_origin(static_cast<proto::Origin>(site.origin));
    message.set_stack(WriteStack(site.stack));
    message.set_allocated_bytes(Rounded(site.allocated_bytes));
    message.set_allocations(Rounded(site.allocations));
    if (site.live_bytes) message.set_live_bytes(Rounded(*site.live_bytes));
    if (site.live_at_peak_bytes) message.set_live_at_peak_bytes(Rounded(*site.live_at_peak_bytes));
    if (site.resident_at_peak_bytes) message.set_resident_at_peak_bytes(Rounded(*site.resident_at_peak_bytes));
    message.set_read_at_peak_bytes(Rounded(site.read_at_peak_bytes));
    message.set_resident_later_bytes(Rounded(site.resident_later_bytes));
    message.set_sampled(site.sampled);
    message.set_variance(site.variance);
    if (site.peak_variance) message.set_peak_variance(*site.peak_variance);
    message.set_udf(site.udf);
    used_ += FieldBytes(message.ByteSizeLong(), 2);
    if (used_ > max_bytes) {
      Restore(before);
      return false;
    }
    *profile_->add_sites() = std::move(message);
    return true;
  }

  // As many of the largest as stay within `max_bytes`.
  void Add(const ProfileLeftovers& leftovers, size_t max_bytes) {
    proto::Leftovers message;
    message.set_pid(leftovers.pid);
    message.set_start_ticks(leftovers.process_start_ticks);
    message.set_since_ms(leftovers.since_ms);
    message.set_session(leftovers.session);
    message.set_through(leftovers.through);
    message.set_open(leftovers.open);
    for (const uint32_t udf : leftovers.udfs) message.add_udfs(udf);
    std::vector<ProfileLeftovers::Site> sites = leftovers.sites;
    std::stable_sort(sites.begin(), sites.end(), [](const auto& a, const auto& b) { return a.live_bytes > b.live_bytes; });
    size_t own_bytes = message.ByteSizeLong() + 2;  // for its `complete` flag
    bool complete = used_ + FieldBytes(own_bytes, 2) <= max_bytes;
    if (!complete) return;
    for (const ProfileLeftovers::Site& site : sites) {
      const State before = Mark();
      proto::Leftover left;
      left.set_stack(WriteStack(site.stack));
      left.set_live_bytes(Rounded(site.live_bytes));
      const size_t bytes = FieldBytes(left.ByteSizeLong(), 1);
      complete = used_ + FieldBytes(own_bytes + bytes, 2) <= max_bytes;
      if (!complete) {
        Restore(before);
        break;
      }
      own_bytes += bytes;
      *message.add_sites() = std::move(left);
    }
    message.set_complete(complete);
    used_ += FieldBytes(message.ByteSizeLong(), 2);
    *profile_->add_leftovers() = std::move(message);
  }

  // Adds nothing if there is no room, and leaves the stack out if only that doesn't fit.
  void Add(const ProfileIncident& from, size_t max_bytes) {
    proto::Incident message;
    message.set_pid(from.pid);
    message.set_start_ticks(from.process_start_ticks);
    message.set_started_by_task(from.started_by_task);
    message.set_time_ms(from.incident.time_ms);
    message.set_signal(from.incident.signal);
    message.set_code(from.incident.code);
    message.set_asked_bytes(Rounded(static_cast<double>(from.incident.asked_bytes)));
    message.set_virtual_bytes(Rounded(static_cast<double>(from.incident.virtual_bytes)));
    message.set_resident_bytes(Rounded(static_cast<double>(from.incident.resident_bytes)));
    message.set_limit_bytes(Rounded(static_cast<double>(from.incident.limit_bytes)));
    for (const uint32_t node : {from.stack, 0u}) {
      const State before = Mark();
      message.set_stack(WriteStack(node));
      const size_t bytes = FieldBytes(message.ByteSizeLong(), 2);
      if (used_ + bytes <= max_bytes) {
        used_ += bytes;
        *profile_->add_incidents() = std::move(message);
        return;
      }
      Restore(before);
    }
  }

  size_t used() const { return used_; }

 private:
  struct State {
    size_t used;
    int strings, frames, stacks;
  };

  State Mark() {
    added_strings_.clear();
    added_frames_.clear();
    added_nodes_.clear();
    return {used_, profile_->strings_size(), profile_->frames_size(), profile_->stacks_size()};
  }

  void Restore(const State& state) {
    used_ = state.used;
    for (const std::string& text : added_strings_) strings_.erase(text);
    for (const uint32_t frame : added_frames_) frames_.erase(frame);
    for (const uint32_t node : added_nodes_) nodes_.erase(node);
    profile_->mutable_strings()->DeleteSubrange(state.strings, profile_->strings_size() - state.strings);
    profile_->mutable_frames()->DeleteSubrange(state.frames, profile_->frames_size() - state.frames);
    profile_->mutable_stacks()->DeleteSubrange(state.stacks, profile_->stacks_size() - state.stacks);
  }

  uint32_t WriteString(const std::string& text) {
    const auto [entry, added] = strings_.try_emplace(text, static_cast<uint32_t>(profile_->strings_size()));
    if (added) {
      profile_->add_strings(text);
      added_strings_.push_back(text);
      used_ += FieldBytes(text.size(), 1);
    }
    return entry->second;
  }

  uint32_t WriteFrame(uint32_t index) {
    const auto known = frames_.find(index);
    if (known != frames_.end()) return known->second;
    const ProfileFrame& frame = sites_.frames()[index];
    proto::Frame message;
    message.set_language(static_cast<proto::Language>(frame.language));
    message.set_function(WriteString(frame.function));
    message.set_file(WriteString(frame.file));
    message.set_line(frame.line);
    message.set_module(WriteString(frame.module));
    message.set_build_id(WriteString(frame.build_id));
    message.set_offset(frame.offset);
    message.set_first_line(frame.first_line);
    message.set_in_framework(frame.in_framework);
    used_ += FieldBytes(message.ByteSizeLong(), 1);
    const auto position = static_cast<uint32_t>(profile_->frames_size());
    *profile_->add_frames() = std::move(message);
    frames_.emplace(index, position);
    added_frames_.push_back(index);
    return position;
  }

  // Parents before children, as the schema demands.
  uint32_t WriteStack(uint32_t node) {
    std::vector<uint32_t> missing;
    for (; node != 0 && !nodes_.contains(node); node = sites_.nodes()[node - 1].parent) missing.push_back(node);
    uint32_t position = node == 0 ? 0 : nodes_.at(node);
    for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
      proto::Stack message;
      message.set_parent(position);
      message.set_frame(WriteFrame(sites_.nodes()[*it - 1].frame));
      used_ += FieldBytes(message.ByteSizeLong(), 1);
      *profile_->add_stacks() = std::move(message);
      position = static_cast<uint32_t>(profile_->stacks_size());
      nodes_.emplace(*it, position);
      added_nodes_.push_back(*it);
    }
    return position;
  }

  const ProfileSites& sites_;
  proto::TaskProfile* profile_;
  size_t used_ = 0;
  std::unordered_map<std::string, uint32_t> strings_;
  std::unordered_map<uint32_t, uint32_t> frames_, nodes_;
  std::vector<std::string> added_strings_;
  std::vector<uint32_t> added_frames_, added_nodes_;
};

// One site with a very deep stack or very long names must not keep out the lighter ones after it.
constexpr size_t kMostLeftOut = 8;

struct Queue {
  Origin origin;
  double share;  // of the room
  std::vector<const ProfileSite*> sites;
  double live_at_peak = 0;
  size_t next = 0;
  double used = 0;
  std::vector<const ProfileSite*> left_out;  // of those before `next`

  bool Done() const { return next == sites.size() || left_out.size() > kMostLeftOut; }
};

double Weight(const ProfileSite& site) { return site.live_at_peak_bytes.value_or(0); }

struct Orders {
  std::vector<const ProfileSite*> at_peak, allocated;  // the largest first
};

Orders OrdersOf(const std::vector<const ProfileSite*>& sites) {
  std::vector<const ProfileSite*> at_peak = sites, allocated = sites;
  std::stable_sort(allocated.begin(), allocated.end(),
                   [](const ProfileSite* a, const ProfileSite* b) { return a->allocated_bytes > b->allocated_bytes; });
  std::stable_sort(at_peak.begin(), at_peak.end(), [](const ProfileSite* a, const ProfileSite* b) {
    return Weight(*a) != Weight(*b) ? Weight(*a) > Weight(*b) : a->allocated_bytes > b->allocated_bytes;
  });
  return {std::move(at_peak), std::move(allocated)};
}

// Sites in turn: the largest by live at peak, then the largest by bytes allocated; each time first of the user's own. Otherwise a
// function's temporary buffers, which are freed before the peak, would lose their place to everything that was imported in the same task
// and stays, or, in the small room of a heartbeat, to the deep stacks of a single import.
std::vector<const ProfileSite*> InTurns(const ProfileSites& all, const std::vector<const ProfileSite*>& sites) {
  std::vector<const ProfileSite*> users;
  std::copy_if(sites.begin(), sites.end(), std::back_inserter(users), [&](const ProfileSite* site) { return all.IsUsers(site->stack); });
  const Orders of_users = OrdersOf(users), of_all = OrdersOf(sites);
  std::vector<const ProfileSite*> order;
  std::unordered_set<const ProfileSite*> taken;
  for (size_t turn = 0; turn < sites.size(); ++turn) {
    for (const std::vector<const ProfileSite*>* next : {&of_users.at_peak, &of_users.allocated, &of_all.at_peak, &of_all.allocated}) {
      if (turn < next->size() && taken.insert((*next)[turn]).second) order.push_back((*next)[turn]);
    }
  }
  return order;
}

}  // namespace

void WriteSites(const ProfileSites& sites, size_t max_bytes, proto::TaskProfile* profile) {
  constexpr size_t kRemainderRoom = 64;  // one per origin: its figures fit into that
  std::array<Queue, 4> queues = {{{Origin::kPython, 0.6}, {Origin::kJvmHeap, 0.2}, {Origin::kJvmOffHeap, 0.1}, {Origin::kJvmNative, 0.1}}};
  size_t reserved = 0;
  for (Queue& queue : queues) {
    for (const ProfileSite& site : sites.sites()) {
      if (site.origin == queue.origin) queue.sites.push_back(&site);
    }
    if (!queue.sites.empty()) reserved += kRemainderRoom;
    queue.sites = InTurns(sites, queue.sites);
    for (const ProfileSite* site : queue.sites) queue.live_at_peak += Weight(*site);
  }
  // If there is room for one deep stack only, it is of the origin that held most: a heartbeat may be the task's last message.
  std::stable_sort(queues.begin(), queues.end(), [](const Queue& a, const Queue& b) { return a.live_at_peak > b.live_at_peak; });
  const size_t room = max_bytes > reserved ? max_bytes - reserved : 0;

  Writer writer(sites, profile);
  for (const ProfileIncident& incident : sites.incidents()) writer.Add(incident, std::min(room, writer.used() + room / 3));
  // Leftovers come first. Their stacks are mostly those of sites as well, so little room is lost.
  for (const ProfileLeftovers& leftovers : sites.leftovers()) writer.Add(leftovers, std::min(room, writer.used() + room / 8));
  for (;;) {
    Queue* chosen = nullptr;
    for (Queue& queue : queues) {
      if (queue.Done()) continue;
      if (chosen == nullptr || queue.used / queue.share < chosen->used / chosen->share) chosen = &queue;
    }
    if (chosen == nullptr) break;
    const size_t before = writer.used();
    const ProfileSite* site = chosen->sites[chosen->next++];
    if (writer.Add(*site, room)) {
      chosen->used += static_cast<double>(writer.used() - before);
    } else {
      chosen->left_out.push_back(site);
    }
  }

  for (Queue& queue : queues) {
    std::vector<const ProfileSite*>& rest = queue.left_out;
    rest.insert(rest.end(), queue.sites.begin() + static_cast<ptrdiff_t>(queue.next), queue.sites.end());
    if (rest.empty()) continue;
    double allocated = 0, allocations = 0, live_at_peak = 0, variance = 0;
    for (const ProfileSite* site : rest) {
      allocated += site->allocated_bytes;
      allocations += site->allocations;
      live_at_peak += Weight(*site);
      variance += site->variance;
    }
    proto::Remainder* remainder = profile->add_remainders();
    remainder->set_origin(static_cast<proto::Origin>(queue.origin));
    remainder->set_sites(rest.size());
    remainder->set_allocated_bytes(Rounded(allocated));
    remainder->set_allocations(Rounded(allocations));
    remainder->set_live_at_peak_bytes(Rounded(live_at_peak));
    remainder->set_variance(variance);
  }
}

}  // namespace memprof
