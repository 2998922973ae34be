#include "naming/source_reader.h"

#include <utility>

namespace memprof {
namespace {

constexpr std::chrono::seconds kPause{60};  // it is woken for work

}  // namespace

Status SourceReader::Start(Redaction redaction, Send send) {
  redaction_ = std::move(redaction);
  send_ = std::move(send);
  {
    const std::lock_guard lock(mutex_);
    started_ = true;
    wanted_.clear();
    asked_.clear();
  }
  return thread_.Start("memprof-source", 19, [this] { return Round(); });
}

void SourceReader::Stop() {
  thread_.Stop();
  if (send_) Round();
  const std::lock_guard lock(mutex_);
  started_ = false;
  send_ = nullptr;
}

void SourceReader::Want(const std::vector<SourceLineKey>& lines) {
  bool news = false;
  {
    const std::lock_guard lock(mutex_);
    if (!started_) return;
    for (const SourceLineKey& line : lines) {
      if (asked_.size() >= kMostLines || !asked_.emplace(line.file, line.line).second) continue;
      wanted_.push_back(line);
      news = true;
    }
  }
  if (news) thread_.Wake();
}

std::chrono::milliseconds SourceReader::Round() {
  std::vector<SourceLineKey> wanted;
  {
    const std::lock_guard lock(mutex_);
    wanted.swap(wanted_);
  }
  ReadSourceLines(wanted, *redaction_, send_);
  return kPause;
}

}  // namespace memprof
