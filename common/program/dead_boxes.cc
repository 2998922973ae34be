#include "program/dead_boxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "blackbox/box_name.h"
#include "blackbox/box_reader.h"
#include "facts/loss_reason.h"
#include "postmortem/headlines.h"
#include "profile/process_level.h"
#include "profile/words_file.h"
#include "program/dead_jvm.h"
#include "program/held.h"
#include "program/process_profile.h"
#include "report/model.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/views/post_mortem_text.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxEntries = 20'000;

// Which folders of a directory are looked into, too.
enum class Folders {
  kNone,
  kAny,         // those of applications
  kAnyAndOurs,  // and in sparkmemprof-<uid> any, which is around them in whatever place is configured
};

// Adds paths that look like boxes; false: the directory can't be read.
bool List(const fs::path& directory, Folders folders, std::vector<std::string>& paths, bool& cut, std::error_code& error) {
  size_t entries = 0;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (++entries > kMaxEntries || paths.size() >= kMaxDeadBoxes) {
      cut = true;
      break;
    }
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    if (box::IsName(name) || PidOfWords(name)) {
      paths.push_back(entry->path().string());
    } else if (folders != Folders::kNone && fs::is_directory(entry->symlink_status(ignored))) {
      const bool is_ours = folders == Folders::kAnyAndOurs && name.starts_with("sparkmemprof-");
      std::error_code unreadable;
      List(entry->path(), is_ours ? Folders::kAny : Folders::kNone, paths, cut, unreadable);  // another user's folder has no boxes of ours
    }
  }
  return !error;
}

// What the session held at its last sample, by line, and by site as a driver's post-mortem has it.
struct Held {
  ReportStage stage;
  std::vector<ReportSite> sites;
};

std::optional<Held> HeldIn(const PythonSession& python, const std::string& name) {
  const BoxSession& session = python.session;
  ProfileStore store;
  store.ApplicationStarted(python.box.application_id, "", "", python.box.python_version, "program", session.opened_ms);
  store.StageSubmitted(0, 0, name, "", 1, session.opened_ms);
  for (const std::string& message : ProcessMessages(python, name, 0)) {
    if (!store.Ingest(message).ok()) return std::nullopt;
  }
  store.TaskEnded({.task_attempt_id = 0,
                   .stage_id = 0,
                   .stage_attempt = 0,
                   .partition = 0,
                   .attempt_number = 0,
                   .executor_id = "driver",
                   .time_ms = session.closed_ms});
  Report report = store.Model(false);
  if (report.stages.empty()) return std::nullopt;
  return Held{std::move(report.stages.front()), store.SitesHeldBy(0)};
}

// The driver's own Python: all that it does is one session. In local mode its workers have the same executor.
bool IsOfDriver(const PythonSession& python) {
  return python.box.executor_id == "driver" && python.session.task_attempt_id == python.box.pid;
}

ReportPostMortem DeathOf(const PythonSession& python) {
  const BoxIdentity& box = python.box;
  const BoxSession& session = python.session;
  ReportPostMortem death;
  const bool is_driver = IsOfDriver(python);
  death.executor_id = box.executor_id;
  death.process = is_driver ? "python-driver" : "python-worker";
  death.pid = box.pid;
  if (box.process_start_ticks != 0) death.start_ticks = box.process_start_ticks;
  death.started_by_task = box.started_by_task;
  if (!is_driver) {
    death.task_attempt_id = session.task_attempt_id;
    if (session.stage_id >= 0) death.stage_id = session.stage_id;
  }
  death.used_bytes = session.rss_max_bytes;
  const int signal = NotedSignal(session);
  if (signal != 0) death.exit_code = kSignalBase + signal;
  const std::string who = is_driver ? fmt::format("The driver's Python process {} of {}", box.pid, box.application_id)
                                    : fmt::format("{} of {}", WorkerTitle(death), box.application_id);
  const std::string end = signal != 0           ? fmt::format("died of {}", SignalName(signal))
                          : session.closed      ? "had ended its task, and nobody has read its profile"
                          : box.started_by_task ? "is gone, and may have ended by itself"
                                                : "is gone, and its task had not ended";
  std::string most;
  if (std::optional<Held> held = HeldIn(python, is_driver ? box.application_id : "")) {
    most = HeldPhrase(HeaviestLine(held->stage));
    if (session.closed) {
      PutHeldSites(held->stage, death);
    } else {
      death.sites = std::move(held->sites);
    }
    if (!death.sites.empty() && death.sites.front().left_by_earlier_tasks) most = LargestPhrase(death);
  }
  death.headline = fmt::format("{} {}: {} live, {} resident at most{}", who, end, FormatBytes(session.live_bytes),
                               FormatBytes(session.rss_max_bytes), most);
  death.how = signal != 0 ? fmt::format("it noted {} in its black box as it died", SignalName(signal))
                          : "nobody holds its black box's lock; who ended it, the kernel's log or the driver's says";
  return death;
}

// The session during which it died, or else the last one.
std::optional<BoxReader::SessionKey> LastSession(const BoxReader& box) {
  std::optional<BoxReader::SessionKey> last;
  for (const BoxReader::SessionKey& key : box.Sessions()) {
    if (key.task_attempt_id < 0 || key.acknowledged) continue;
    if (!last || !key.closed || last->closed) last = key;
  }
  return last;
}

// Last words of a JVM that no executor has sent yet.
void TakeWords(const std::string& path, int32_t jvm, DeadBoxes& found) {
  if (!IsGone(jvm)) {
    found.alive.push_back(path);
    return;
  }
  const Result<Words> words = ReadWords(path);
  if (!words.ok()) {
    found.refused.emplace_back(path, words.status().message());
    return;
  }
  if (const std::optional<ReportPostMortem> death = DeathByWords(words->envelopes)) {
    found.post_mortems.push_back(PostMortemText(*death));
  } else {
    found.refused.emplace_back(path, "its words are of another version, or tell of no error");
  }
}

}  // namespace

Result<DeadBoxes> ReadDeadBoxes(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  DeadBoxes found;
  if (!List(directory, Folders::kAnyAndOurs, paths, found.cut, error)) {
    return Status::Error(ErrorCode::kNotFound, "%s: %s", directory.c_str(), error.message().c_str());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    if (const std::optional<int32_t> jvm = PidOfWords(fs::path(path).filename().string())) {
      TakeWords(path, *jvm, found);
      continue;
    }
    const Result<BoxReader> box = BoxReader::Open(path);
    if (!box.ok()) {
      found.refused.emplace_back(path, box.status().message());
      continue;
    }
    if (box->OwnerAlive()) {
      found.alive.push_back(path);
      continue;
    }
    const std::optional<BoxReader::SessionKey> last = LastSession(*box);
    if (!last) continue;  // it died between two tasks, and all of its sessions have been read
    Result<BoxSession> session = box->ReadSession(last->number);
    if (!session.ok()) {
      found.refused.emplace_back(path, session.status().message());
      continue;
    }
    PythonSession python = {box->identity(), *std::move(session)};
    if (!IsOfDriver(python)) python.leftovers = LeftoversBeside(*box, python.session);
    found.post_mortems.push_back(PostMortemText(DeathOf(python)));
  }
  return found;
}

}  // namespace memprof
