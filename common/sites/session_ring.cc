// The ring of sessions that wait to be read. A full site table recycles or drops one of them inside a hook.
#include <atomic>

#include "sites/recorder_state.h"

namespace memprof {

uint32_t Recorder::State::WaitingSessions() const {
  uint32_t waiting = 0;
  for (uint32_t slot = 1; slot < box::kSessions; ++slot) waiting += slots()[slot].session.Current().state == box::kClosed;
  return waiting;
}

void Recorder::State::FreeSlot(uint32_t slot) {
  box::SessionSlot& place = slots()[slot];
  const uint64_t number = place.session.Current().number;
  if (number == 0) return;  // freed already: its sites may be another's by now
  // Removes the session first, then its sites: so a session that a reader finds is whole.
  place.session.Begin() = {};
  place.session.Commit(box::RecordSeed(box::kSessionTable, slot));
  std::atomic_ref<uint64_t>(place.acknowledged).store(0, std::memory_order_relaxed);
  sites.RemoveSession(number, slot);
}

bool Recorder::State::RecycleAcknowledged() {
  bool any = false;
  for (uint32_t slot = 1; slot < box::kSessions; ++slot) {
    box::SessionSlot& place = slots()[slot];
    const box::Session& session = place.session.Current();
    if (session.state != box::kClosed) continue;
    if (std::atomic_ref<uint64_t>(place.acknowledged).load(std::memory_order_acquire) != session.number) continue;
    FreeSlot(slot);
    any = true;
  }
  return any;
}

bool Recorder::State::DropOldestWaiting() {
  uint32_t oldest = 0;
  for (uint32_t slot = 1; slot < box::kSessions; ++slot) {
    const box::Session& session = slots()[slot].session.Current();
    if (session.state != box::kClosed) continue;
    if (oldest == 0 || session.number < slots()[oldest].session.Current().number) oldest = slot;
  }
  if (oldest == 0) return false;
  FreeSlot(oldest);
  Count(&Counters::dropped_sessions, &box::Session::dropped_sessions);
  return true;
}

}  // namespace memprof
