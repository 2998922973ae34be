// Incidents of the process while a session is open (recorder.h). Hot: memory is refused inside malloc, and a signal may come anywhere.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/errno_keeper.h"
#include "sites/recorder.h"
#include "sites/recorder_state.h"

namespace memprof {
namespace {

// RLIMIT_AS; 0 = none. A direct system call, as everywhere in hooks.
uint64_t AddressSpaceLimit() {
  struct rlimit limit = {};
  if (syscall(SYS_prlimit64, 0, RLIMIT_AS, nullptr, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  return limit.rlim_cur;
}

}  // namespace

const box::Incident& Recorder::State::KeptIncident(box::IncidentKind kind) {
  return file.table<box::TwoCopies<box::Incident>>(box::kIncidentTable)[kind].Current();
}

void Recorder::State::PutIncident(box::IncidentKind kind, const box::Incident& incident) {
  box::TwoCopies<box::Incident>& record = file.table<box::TwoCopies<box::Incident>>(box::kIncidentTable)[kind];
  record.Begin() = incident;
  record.Commit(box::RecordSeed(box::kIncidentTable, kind));
}

void Recorder::NoteRefused(uint64_t bytes, BoxStackId stack, bool of_no_task) {
  const ErrnoKeeper errno_keeper;
  FutexLock lock(state_->mutex);
  State& state = *state_;
  if (state.finished) return;
  const uint64_t process = state.process.value.number, session = of_no_task ? process : state.Current().value.number;
  const uint64_t kept = state.KeptIncident(box::kRefusal).session;
  if (of_no_task && kept != 0 && kept != process) return;
  const uint32_t node = stack == kStackWithoutRoom ? 0 : Untag(state.intern.epoch(), stack);
  const RssReader::Sizes sizes = state.rss.ReadSizes();
  state.PutIncident(box::kRefusal, {session, EpochMs(), node, state.intern.epoch(), 0, 0, bytes, sizes.virtual_bytes, sizes.resident_bytes,
                                    AddressSpaceLimit()});
}

void Recorder::NoteFatalSignal(int signal, int code, BoxStackId stack) {
  State& state = *state_;
  if (state.finished) return;
  const uint32_t epoch = intern_epoch();
  const uint32_t node = stack == kStackWithoutRoom ? 0 : Untag(epoch, stack);
  state.PutIncident(box::kFatalSignal, {state.Current().value.number, EpochMs(), node, epoch, signal, code, 0, 0, 0, 0});
}

}  // namespace memprof
