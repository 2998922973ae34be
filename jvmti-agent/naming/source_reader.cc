#include "naming/source_reader.h"

#include <chrono>
#include <condition_variable>
#include <set>
#include <string>
#include <utility>

#include "base/background_thread.h"

namespace memprof {
namespace {

constexpr std::chrono::seconds kPause{60};  // it is woken for work
constexpr std::chrono::seconds kMostWait{1};
constexpr size_t kMostLines = 16384;

}  // namespace

// One application's.
class SourceReader::Work {
 public:
  Work(Redaction redaction, Send send, int patience)
      : redaction_(std::move(redaction)), send_(std::move(send)), most_wait_(patience * kMostWait) {}

  Status Start() {
    return thread_.Start("memprof-source", 19, [this] { return Round(); });
  }

  void Want(const std::vector<SourceLineKey>& lines) {
    bool news = false;
    {
      const std::lock_guard lock(mutex_);
      for (const SourceLineKey& line : lines) {
        if (asked_.size() >= kMostLines || !asked_.emplace(line.file, line.line).second) continue;
        wanted_.push_back(line);
        news = true;
      }
    }
    if (news) thread_.Wake();
  }

  // False: it is still reading.
  bool Finish() {
    thread_.Wake();
    {
      std::unique_lock lock(mutex_);
      const bool done = idle_.wait_for(lock, most_wait_, [this] { return !busy_ && wanted_.empty(); });
      ended_ = true;
      if (!done && busy_) return false;
    }
    thread_.Stop();
    return true;
  }

 private:
  std::chrono::milliseconds Round() {
    std::vector<SourceLineKey> wanted;
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return kPause;
      wanted.swap(wanted_);
      busy_ = true;
    }
    const std::shared_ptr<void> no_longer_busy(nullptr, [this](void*) {
      const std::lock_guard lock(mutex_);
      busy_ = false;
      idle_.notify_all();
    });
    ReadSourceLines(wanted, redaction_, [this](proto::Symbols message) {
      const std::lock_guard lock(mutex_);
      if (!ended_) send_(std::move(message));
    });
    return kPause;
  }

  const Redaction redaction_;
  const Send send_;
  const std::chrono::seconds most_wait_;
  std::mutex mutex_;  // covers what follows
  std::condition_variable idle_;
  std::vector<SourceLineKey> wanted_;
  std::set<std::pair<std::string, uint32_t>> asked_;  // files as frames name them, and lines: sent, requested, or not available
  bool busy_ = false, ended_ = false;
  BackgroundThread thread_;
};

SourceReader::SourceReader() = default;
SourceReader::~SourceReader() { Stop(); }

Status SourceReader::Start(Redaction redaction, Send send, int patience) {
  auto work = std::make_shared<Work>(std::move(redaction), std::move(send), patience);
  const Status status = work->Start();
  const std::lock_guard lock(mutex_);
  if (status.ok()) work_ = std::move(work);
  return status;
}

void SourceReader::Stop() noexcept {
  std::shared_ptr<Work> work;
  {
    const std::lock_guard lock(mutex_);
    work.swap(work_);
  }
  if (work == nullptr || work->Finish()) return;
  new std::shared_ptr<Work>(std::move(work));  // never freed: its thread still uses it
}

void SourceReader::Want(const std::vector<SourceLineKey>& lines) {
  std::shared_ptr<Work> work;
  {
    const std::lock_guard lock(mutex_);
    work = work_;
  }
  if (work != nullptr) work->Want(lines);
}

}  // namespace memprof
