// ChargedAction: the action that a moment of the driver is charged to. Of the actions that ran then, it is the one with most results so
// far; of equal ones, the last that was offered. If none ran, or if their results were almost nothing in comparison, it is the last that
// ended, at most kUnpackedMs before: results are unpacked after their jobs have ended. Bytes; milliseconds since 1970.
#pragma once

#include <cstdint>
#include <utility>

namespace memprof {

inline constexpr int64_t kUnpackedMs = 60'000;  // after a job's end its results may still be unpacked

template <typename Action>
class ChargedAction {
 public:
  explicit ChargedAction(int64_t time_ms) : time_ms_(time_ms) {}

  void OfferRunning(const Action& action, uint64_t brought, int64_t started_ms) { running_.Take(action, brought, {brought, started_ms}); }
  void OfferEnded(const Action& action, uint64_t brought, int64_t ended_ms) {
    if (ended_ms + kUnpackedMs >= time_ms_) ended_.Take(action, brought, {0, ended_ms});
  }

  const Action* get() const {  // null: none
    constexpr uint64_t kNextToNothing = 10;
    const bool of_ended = running_.action == nullptr || (ended_.action != nullptr && running_.brought < ended_.brought / kNextToNothing);
    return of_ended ? ended_.action : running_.action;
  }

 private:
  struct Best {
    using Rank = std::pair<uint64_t, int64_t>;

    void Take(const Action& other, uint64_t others_bytes, Rank others_rank) {
      if (action == nullptr || rank <= others_rank) *this = {&other, others_bytes, others_rank};
    }

    const Action* action = nullptr;
    uint64_t brought = 0;
    Rank rank;
  };

  int64_t time_ms_;
  Best running_, ended_;
};

}  // namespace memprof
