#include "boxes/timely_reads.h"

#include <exception>
#include <utility>

namespace memprof {

TimelyReads::TimelyReads(Within within, std::chrono::milliseconds most) : within_(std::move(within)), most_(most) {}

class TimelyReads::Unfinished {
 public:
  explicit Unfinished(std::shared_ptr<Reads> reads) : reads_(std::move(reads)) { ++reads_->unfinished; }
  ~Unfinished() { --reads_->unfinished; }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  const std::shared_ptr<Reads> reads_;
};

// Work owns what it uses: it may go on when nobody waits for it any more.
template <typename Work>
bool TimelyReads::InTime(Work work) {
  if (reads_->unfinished == 0) reads_->late = false;
  if (reads_->late) return false;
  const auto unfinished = std::make_shared<Unfinished>(reads_);  // until nobody works any more
  if (within_(most_, [work = std::move(work), unfinished] { work(); })) return true;
  reads_->late = true;
  ever_late_ = true;
  return false;
}

std::optional<FoundSessions> TimelyReads::Find(const BoxPlace& place, int64_t task_attempt_id, Leftovers leftovers) {
  struct Read {
    FoundSessions found;
    std::exception_ptr failure;
  };
  if (place.directory.empty()) return FoundSessions();
  const auto read = std::make_shared<Read>();
  const bool in_time = InTime([=] {
    try {
      read->found = FindSessions(place, task_attempt_id, leftovers);
    } catch (...) {
      read->failure = std::current_exception();
    }
  });
  if (!in_time) return std::nullopt;
  if (read->failure) std::rethrow_exception(read->failure);
  return std::move(read->found);
}

void TimelyReads::Acknowledge(std::vector<SessionReceipt> receipts) {
  if (!receipts.empty()) InTime([receipts = std::move(receipts)] { memprof::Acknowledge(receipts); });
}

}  // namespace memprof
