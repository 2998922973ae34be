#include "naming/native_namer.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "symbols/symbolizer.h"

namespace memprof {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookEvery{500};
constexpr int64_t kSavedCpuNs = 1'000'000'000;
constexpr int64_t kCpuSharePerMinuteNs = 100'000'000;
constexpr int64_t kCpuKeptForNamesNs = kSavedCpuNs / 2;  // reading lines costs more than names and must leave this much time for names
constexpr int kSymbolsPerMessage = 256;
constexpr size_t kSymbolBytesPerMessage = 64u << 10;  // module paths may be long, and the driver refuses much larger messages

void WriteCalls(const SourceCalls& calls, proto::Symbol* symbol) {
  if (calls.empty()) return;
  symbol->set_function(calls.back().function);
  symbol->set_file(calls.back().file);
  symbol->set_line(calls.back().line);
  for (size_t i = 0; i + 1 < calls.size(); ++i) {
    if (calls[i].function.empty()) continue;
    proto::OuterCall* outer = symbol->add_outer_calls();
    outer->set_function(calls[i].function);
    outer->set_file(calls[i].file);
    outer->set_line(calls[i].line);
  }
}

}  // namespace

Status NativeNamer::Start(NativeNamerOptions options) {
  options_ = std::move(options);
  seen_.clear();
  looked_at_ = {};
  spent_ns_ = 0;
  without_lines_.clear();
  modules_without_lines_ = 0;
  started_ns_ = MonotonicNs();
  {
    const std::lock_guard lock(mutex_);
    wanted_.clear();
    answered_.clear();
  }
  // Not 19, the lowest priority: on a busy machine the thread then got 3 ms a second, and an exiting executor waited ten seconds for it.
  return thread_.Start("memprof-names", 10, [this] { return Round(); });
}

void NativeNamer::Stop() {
  stopping_ = true;
  thread_.Stop();
  stopping_ = false;
  if (options_.send) SendWanted();
  options_ = {};
}

void NativeNamer::Want(const std::vector<NativeFrame>& frames) {
  if (frames.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (const NativeFrame& frame : frames) {
      if (wanted_.size() < kMostWanted && !answered_.contains(frame)) wanted_.insert(frame);
    }
  }
  thread_.Wake();
}

int64_t NativeNamer::Affordable() const {
  const int64_t earned = kSavedCpuNs + (MonotonicNs() - started_ns_) / 60'000'000'000 * kCpuSharePerMinuteNs;
  return std::max<int64_t>(0, earned - spent_ns_);
}

milliseconds NativeNamer::Round() {
  SendWanted();
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_at_ >= kLookEvery && Affordable() > 0) {
    looked_at_ = now;
    FrameSet unnamed;
    LookThroughBoxes(&unnamed);
    NameAll(unnamed, &stopping_);
  }
  return kLookEvery;
}

void NativeNamer::SendWanted() {
  FrameSet wanted;
  {
    const std::lock_guard lock(mutex_);
    wanted.swap(wanted_);
    if (answered_.size() + wanted.size() > kMostWanted) answered_.clear();
    answered_.insert(wanted.begin(), wanted.end());
  }
  if (wanted.empty()) return;
  NameAll(wanted);
  proto::Symbols message;
  size_t bytes = 0;
  for (const NativeFrame& frame : wanted) {
    proto::Symbol* symbol = message.add_symbols();
    symbol->set_module(frame.module);
    symbol->set_build_id(frame.build_id);
    symbol->set_offset(frame.offset);
    WriteCalls(names_->Find(frame).value_or(SourceCalls()), symbol);
    bytes += symbol->ByteSizeLong();
    if (message.symbols_size() < kSymbolsPerMessage && bytes < kSymbolBytesPerMessage) continue;
    options_.send(std::move(message));
    message = {};
    bytes = 0;
  }
  if (message.symbols_size() > 0) options_.send(std::move(message));
}

void NativeNamer::LookThroughBoxes(FrameSet* unnamed) {
  std::map<std::string, BoxReader::FrameMark> seen;
  ForEachBox(options_.boxes, [&](const std::string& path, BoxReader& box) {
    const auto before = seen_.find(path);
    BoxReader::FrameMark mark = before == seen_.end() ? BoxReader::FrameMark() : before->second;
    for (BoxFrame& frame : box.NewNativeFrames(&mark)) {
      NativeFrame native{std::move(frame.module), std::move(frame.build_id), frame.offset};
      if (!names_->Find(native)) unnamed->insert(std::move(native));
    }
    seen.emplace(path, mark);
  });
  seen_ = std::move(seen);
}

void NativeNamer::CountWithoutLines(const std::string& module) {
  if (without_lines_.size() < kMostWanted && without_lines_.insert(module).second) ++modules_without_lines_;
}

// One pass over a module's symbols names all its frames. Ends when the budget is used up, or when `enough` becomes true; the remaining
// frames then have no name.
void NativeNamer::NameAll(const FrameSet& frames, const std::atomic<bool>* enough) {
  std::map<std::pair<std::string, std::string>, std::vector<uint64_t>> by_module;
  for (const NativeFrame& frame : frames) {
    if (!names_->Find(frame)) by_module[{frame.module, frame.build_id}].push_back(frame.offset);
  }
  for (const auto& [module, offsets] : by_module) {
    if (Affordable() == 0 || (enough != nullptr && *enough)) return;
    const int64_t before = ThreadCpuNs();
    SymbolizerOptions how;
    if (Affordable() < kCpuKeptForNamesNs) how.debug_bytes = 0;
    Result<Symbolized> found = Symbolize(module.first, module.second, offsets, how);
    const bool left_out = found.ok() && found->lines_left_out;
    for (size_t i = 0; i < offsets.size(); ++i) {
      names_->Put({module.first, module.second, offsets[i]}, found.ok() ? std::move(found->calls[i]) : SourceCalls{SourceCall()});
    }
    if (left_out) CountWithoutLines(module.first);
    spent_ns_ += ThreadCpuNs() - before;
  }
}

}  // namespace memprof
