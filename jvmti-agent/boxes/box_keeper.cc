#include "boxes/box_keeper.h"

#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "boxes/python_refusal.h"

namespace memprof {
namespace {

constexpr std::chrono::milliseconds kLookEvery{500}, kOrphansEvery{2000};

// This includes boxes that were given up: it only reads which sessions are open, which costs little.
void RemoveBoxes(const BoxPlace& place) {
  ForEachBox({place.directory, place.application_id, place.executor_id}, [](const std::string& path, BoxReader& box) {
    if (!HasOpenTask(box) || !box.OwnerAlive()) unlink(path.c_str());
  });
}

}  // namespace

Status BoxKeeper::Start(BoxKeeperOptions options) {
  options_ = std::move(options);
  overdue_.clear();
  ended_.clear();
  orphans_at_ = {};
  return thread_.Start("memprof-boxes", 19, [this] { return Round(); });
}

void BoxKeeper::Stop() {
  thread_.Stop();
  RemoveBoxes(options_.boxes);
  options_ = {};
}

std::chrono::milliseconds BoxKeeper::Round() {
  const std::vector<int64_t> running = options_.running_tasks();
  Overdue overdue;
  std::set<std::string> ended;
  LastSeen::Times seen;
  ForEachBox(options_.boxes, [&](const std::string& path, BoxReader& box) {
    const int64_t now_ms = EpochMs();
    const bool alive = box.OwnerAlive();  // read first, so that the last writes of a process that ends now are seen below
    LastSeen::Looks& looks = seen[path] = options_.boxes.last_seen->Of(path);
    if (alive) looks.alive_ms = now_ms;
    if (!alive && looks.gone_ms == 0) looks.gone_ms = now_ms;
    const bool needed = IsNeeded(path, box, running, &overdue);
    if (const std::optional<ProcessRss> rss = RssOf(box)) options_.rss(*rss);
    if (!alive && HasOpenTask(box)) {
      if (!ended_.contains(path)) options_.ended(EndOf(box));
      ended.insert(path);
    }
    if (!alive && !needed) unlink(path.c_str());
  });
  overdue_ = std::move(overdue);
  ended_ = std::move(ended);
  options_.boxes.last_seen->Replace(std::move(seen));
  if (const std::string refusal = TakePythonRefusal(options_.boxes); !refusal.empty()) options_.refusal(refusal);
  TellOrphans();
  return kLookEvery;
}

void BoxKeeper::TellOrphans() {
  const Clock::time_point now = Clock::now();
  if (now - orphans_at_ < kOrphansEvery) return;
  orphans_at_ = now;
  const Orphans orphans = FindOrphans(options_.boxes);
  for (const OrphanedTask& task : orphans.tasks) options_.orphan(task);
  for (const std::string& path : orphans.boxes) unlink(path.c_str());
  if (options_.words) options_.words();
}

bool BoxKeeper::IsNeeded(const std::string& path, BoxReader& box, const std::vector<int64_t>& running, Overdue* overdue) {
  const Clock::time_point now = Clock::now();
  bool needed = false;
  int64_t last_task = -1;
  for (const BoxReader::SessionKey& key : box.Sessions()) {
    if (key.task_attempt_id >= 0) last_task = key.task_attempt_id;
    if (key.acknowledged || (key.task_attempt_id < 0 && !key.closed)) continue;
    bool given_up = key.task_attempt_id < 0;
    if (!given_up && std::find(running.begin(), running.end(), key.task_attempt_id) == running.end()) {
      const auto known = overdue_.find({path, key.number});
      const Clock::time_point since = known == overdue_.end() ? now : known->second;
      overdue->emplace(std::pair(path, key.number), since);
      given_up = now - since >= options_.grace;
    }
    if (!given_up) {
      needed = true;
    } else if (key.closed) {
      [[maybe_unused]] const Status status = box.Acknowledge(key.number);  // not found: its writer has ended
    }
  }
  if (last_task >= 0) options_.last_task(NameOf(box.identity()), last_task);
  return needed;
}

}  // namespace memprof
