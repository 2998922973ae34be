#include "boxes/orphaned_boxes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "boxes/python_sessions.h"
#include "profile/process_level.h"

namespace memprof {
namespace {

constexpr std::string_view kMarkPrefix = "executor-", kMarkSuffix = ".mark";
constexpr size_t kUuidBytes = 36;
constexpr int64_t kKeptSeconds = 24 * 60 * 60;  // boxes that nobody can read, as Leftovers.java keeps those of other applications

// The id of the executor whose claim has this file name; "" for other names.
std::string_view ExecutorOfMark(std::string_view name) {
  if (!name.starts_with(kMarkPrefix) || !name.ends_with(kMarkSuffix)) return {};
  name.remove_prefix(kMarkPrefix.size());
  name.remove_suffix(kMarkSuffix.size());
  return name.size() > kUuidBytes + 1 ? name.substr(0, name.size() - kUuidBytes - 1) : std::string_view();
}

// Only queries the lock. Not for this process's own claim: closing that file would drop its lock.
bool IsLocked(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool locked = fcntl(file, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
  close(file);
  return locked;
}

// True if nothing was written to the file for kKeptSeconds.
bool IsOld(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 && time(nullptr) - info.st_mtime > kKeptSeconds && !IsLocked(path);
}

std::set<std::string> LivingExecutors(const BoxPlace& own) {
  std::set<std::string> living{own.executor_id};
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(own.directory, unreadable)) {
    const std::string name = entry.path().filename().string();
    const std::string executor(ExecutorOfMark(name));
    if (!executor.empty() && !living.contains(executor) && IsLocked(entry.path().string())) living.insert(executor);
  }
  return living;
}

}  // namespace

Orphans FindOrphans(const BoxPlace& own) {
  Orphans orphans;
  if (own.directory.empty()) return orphans;
  const std::vector<std::string> boxes = ListBoxes(own.directory, own.application_id);
  std::set<std::string> living;
  std::map<std::tuple<std::string, int64_t>, OrphanedTask> tasks;
  uint64_t bytes = 0;
  for (const std::string& path : boxes) {
    if (orphans.boxes.size() >= kMostOrphans || bytes >= kMostOrphanBytes) break;
    const bool given_up = own.given_up->Has(path);
    Result<BoxReader> box = given_up ? Status::Error(ErrorCode::kExhausted, "given up before") : BoxReader::Open(path);
    if (!box.ok()) {
      if (IsOld(path)) orphans.boxes.push_back(path);
      continue;
    }
    const std::string& executor = box->identity().executor_id;
    if (executor == own.executor_id || box->OwnerAlive()) continue;
    if (living.empty()) living = LivingExecutors(own);
    if (living.contains(executor)) continue;
    std::vector<PythonSession> sessions;
    for (const BoxReader::SessionKey& key : box->Sessions()) {
      if (key.task_attempt_id < 0 || key.acknowledged) continue;
      Result<BoxSession> session = box->ReadSession(key.number);
      if (!session.ok()) continue;
      PythonSession& python = sessions.emplace_back(PythonSession{box->identity(), *std::move(session)});
      if (!python.session.closed) python.leftovers = LeftoversBeside(*box, python.session);
    }
    bytes += box->work().read_bytes + box->work().text_bytes;
    if (const Status worth = box->WorthIt(); !worth.ok()) {
      own.given_up->Add(path, worth.message());
      continue;
    }
    for (PythonSession& python : sessions) {
      OrphanedTask& task = tasks[{executor, python.session.task_attempt_id}];
      task.executor_id = executor;
      task.sessions.push_back(std::move(python));
    }
    orphans.boxes.push_back(path);
  }
  for (auto& [key, task] : tasks) orphans.tasks.push_back(std::move(task));
  return orphans;
}

}  // namespace memprof
