// A long-lived process fills the recorder's tables with stacks that nobody needs any more. Between two tasks, when no session waits to be
// read, they are emptied. Blocks that are still live keep their stacks. Nothing here runs in hooks, but the recorder's lock is held:
// memory comes from mmap.
#include <sys/mman.h>

#include <cstring>

#include "sites/arena.h"
#include "sites/recorder.h"
#include "sites/recorder_state.h"

namespace memprof {
namespace {

// The tables as they were, in memory of their own.
class OldTables {
 public:
  OldTables(const box::BoxFile& file, SiteTable& sites, uint64_t session) : counts_(file.header().committed) {
    Arena needed;
    LayOut(sites.total(), needed);
    size_ = needed.used();
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    Arena arena(memory_, size_);
    LayOut(sites.total(), arena);
    memcpy(frames_, file.table<box::Frame>(box::kFrameTable), counts_.frames * sizeof(box::Frame));
    memcpy(nodes_, file.table<box::Node>(box::kNodeTable), counts_.nodes * sizeof(box::Node));
    memcpy(modules_, file.table<box::Module>(box::kModuleTable), counts_.modules * sizeof(box::Module));
    memcpy(strings_, file.table<char>(box::kStringTable), counts_.string_bytes);
    for (uint32_t site = 0; site < sites.total(); ++site) {
      const box::Site& record = sites.Read(site);
      if (record.session == session)
        sites_[site] = {record.node, sites.generation(site) & kGenerationMask, static_cast<Origin>(record.origin), true, {}, {}};
    }
  }
  ~OldTables() {
    if (valid()) munmap(memory_, size_);
  }
  OldTables(const OldTables&) = delete;
  OldTables& operator=(const OldTables&) = delete;

  bool valid() const { return memory_ != MAP_FAILED; }

  struct OldSite {
    uint32_t node = 0, generation = 0;
    Origin origin = Origin::kPython;
    bool known = false;
    bool is_interned[2] = {};  // of small blocks, of large ones
    uint32_t again[2] = {};
  };
  OldSite& SiteOf(const LiveBlock& block) { return sites_[block.site]; }

  // The site's stack in the emptied tables; 0: there is no room for it, or it had no frames.
  uint32_t InternAgain(OldSite& site, bool large, InternTables& intern) {
    if (!site.is_interned[large]) {
      site.is_interned[large] = true;
      site.again[large] = InternStack(site.node, large, intern);
    }
    return site.again[large];
  }

 private:
  uint32_t InternStack(uint32_t node, bool large, InternTables& intern) {
    uint32_t depth = 0;
    for (uint32_t at = node; at != 0 && depth < kMaxStackDepth; at = nodes_[at - 1].parent) ++depth;
    uint32_t left = depth;
    for (uint32_t at = node; left != 0; at = nodes_[at - 1].parent) {
      const uint32_t frame = FrameAgain(nodes_[at - 1].frame, intern);
      if (frame == 0) return 0;
      stack_[--left] = frame;
    }
    return intern.Stack(stack_, depth, large);
  }

  void LayOut(uint32_t sites, Arena& arena) {
    frames_ = arena.Take<box::Frame>(counts_.frames);
    nodes_ = arena.Take<box::Node>(counts_.nodes);
    modules_ = arena.Take<box::Module>(counts_.modules);
    strings_ = arena.Take<char>(counts_.string_bytes);
    sites_ = arena.Take<OldSite>(sites);
    stack_ = arena.Take<uint32_t>(kMaxStackDepth);
  }

  StringRef Text(uint32_t reference) const {
    if (reference == 0) return {};
    box::StringHead head;
    memcpy(&head, strings_ + reference, sizeof head);
    return {strings_ + reference + sizeof head, head.size};
  }

  uint32_t FrameAgain(uint32_t reference, InternTables& intern) const {
    const box::Frame& frame = frames_[reference - 1];
    if (frame.language != static_cast<uint32_t>(Language::kNative))
      return intern.PythonFrame(Text(frame.function), Text(frame.file), frame.line, frame.first_line);
    if (frame.file == 0) return intern.NativeFrame(0, frame.offset);
    const box::Module& module = modules_[frame.file - 1];
    const uint32_t again = intern.Module(Text(module.path), Text(module.build_id));
    return again == 0 ? 0 : intern.NativeFrame(again, frame.offset);
  }

  const box::Committed counts_;
  void* memory_ = MAP_FAILED;
  size_t size_ = 0;
  box::Frame* frames_ = nullptr;
  box::Node* nodes_ = nullptr;
  box::Module* modules_ = nullptr;
  char* strings_ = nullptr;
  OldSite* sites_ = nullptr;
  uint32_t* stack_ = nullptr;
};

}  // namespace

// Only the process-level session refers to the tables now. It starts anew, with what is live in it; as after the end of a task, that
// counts as live, and not as allocated again.
void Recorder::State::RestartTables() {
  OldTables old(file, sites, process.value.number);
  const box::Session before = process.value;
  EmptyTables();
  if (!old.valid()) {
    ForgetAllBlocks();
    return;
  }
  // The blocks go on, so their growth does, too; and what the process held at its beginning stays what it was.
  process.value.opened_ms = before.opened_ms;
  process.value.rss_at_open_bytes = before.rss_at_open_bytes;
  live.Sweep([&](LiveBlock& block) {
    OldTables::OldSite& site = old.SiteOf(block);
    const bool known = site.known && site.generation == block.generation;
    const bool large = block.size >= kLargeBlock;
    const uint32_t node = known ? old.InternAgain(site, large, intern) : 0;
    const Origin origin = site.known ? site.origin : Origin::kPython;
    Adopt(block, node != 0 ? SiteFor(process, node, origin, large) : OverflowSite(process, origin));
    return true;
  });
  if (intern.NearlyFull()) {  // their stacks alone fill the tables
    EmptyTables();
    ForgetAllBlocks();
  }
  Publish(process);
}

void Recorder::State::RestartWhileWaiting() {
  const uint32_t slot = task.slot;
  CloseTask();     // what was allocated while it waited is of no task, and what is live of it the process's
  FreeSlot(slot);  // unless a reader has acknowledged it by now, and a full site table freed it
  RestartTables();
  OpenIn(slot, task, TaskIdentity());
}

void Recorder::State::EmptyTables() {
  FreeSlot(0);
  intern.Reset();
  __atomic_store_n(&recorder->intern_epoch_, intern.epoch(), __ATOMIC_RELEASE);
  OpenIn(0, process, TaskIdentity());
}

void Recorder::State::ForgetAllBlocks() {
  live.Sweep([this](const LiveBlock&) {
    Count(&Counters::dropped_live, &box::Session::dropped_live);
    return false;
  });
  Publish(process);
}

}  // namespace memprof
