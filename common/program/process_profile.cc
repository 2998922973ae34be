#include "program/process_profile.h"

#include <map>
#include <utility>
#include <vector>

#include "base/valid_utf8.h"
#include "profile/task_message.h"
#include "proto/envelope.h"
#include "symbols/symbolizer.h"

namespace memprof {
namespace {

constexpr size_t kMaxProfileBytes = 1000 * 1000;  // the store refuses messages above 1 MiB
constexpr size_t kDebugBytes = 256u << 20;        // the program has ended, so its memory is free

// The source positions of all native frames of a session, looked up module by module.
class NativeCalls {
 public:
  explicit NativeCalls(const std::vector<BoxFrame>& frames) {
    std::map<std::pair<std::string, std::string>, std::vector<uint64_t>> modules;
    for (const BoxFrame& frame : frames) {
      if (frame.language == Language::kNative) modules[{frame.module, frame.build_id}].push_back(frame.offset);
    }
    for (const auto& [module, offsets] : modules) {
      Result<Symbolized> found = Symbolize(module.first, module.second, offsets, {.debug_bytes = kDebugBytes});
      if (!found.ok()) continue;  // shown as module and offset
      modules_without_lines_ += found->lines_left_out;
      std::map<uint64_t, SourceCalls>& calls = calls_[{ValidUtf8(module.first), ValidUtf8(module.second)}];
      for (size_t i = 0; i < offsets.size(); ++i) calls[offsets[i]] = std::move(found->calls[i]);
    }
  }

  SourceCalls Find(const std::string& module, const std::string& build_id, uint64_t offset) const {
    const auto of_module = calls_.find({module, build_id});
    if (of_module == calls_.end()) return {};
    const auto calls = of_module->second.find(offset);
    return calls == of_module->second.end() ? SourceCalls() : calls->second;
  }

  uint64_t modules_without_lines() const { return modules_without_lines_; }

 private:
  std::map<std::pair<std::string, std::string>, std::map<uint64_t, SourceCalls>> calls_;
  uint64_t modules_without_lines_ = 0;
};

}  // namespace

std::vector<std::string> ProcessMessages(PythonSession python, const std::string& program, int32_t task) {
  const BoxSession& session = python.session;
  TaskMessage message("driver");
  proto::TaskProfile* profile = message.profile();
  profile->set_task_attempt_id(task);
  profile->set_sequence(1);
  profile->set_final(true);
  profile->set_partition(task);
  profile->set_start_ms(session.opened_ms);
  profile->set_taken_ms(session.closed_ms);
  std::vector<BoxFrame> frames = session.frames;
  if (python.leftovers) frames.insert(frames.end(), python.leftovers->process.frames.begin(), python.leftovers->process.frames.end());
  const NativeCalls native(frames);
  const auto calls_at = [&](const std::string& module, const std::string& build_id, uint64_t offset) {
    return native.Find(module, build_id, offset);
  };
  // The program is the session's only function, so that views list its lines under its name.
  if (!program.empty()) python.session.udfs = {{program, "", "PROGRAM", 0}};
  std::erase_if(python.session.counters, [](const BoxCounter& counter) { return counter.name == kPeakRssCounter; });
  message.AddSessions({std::move(python)}, {calls_at, ""});
  AddCounter("modulesWithoutLines", native.modules_without_lines(), profile);
  BuiltMessage built = message.Build(kMaxProfileBytes);
  std::vector<std::string> messages = {std::move(built.envelope)};
  ReadSourceLines(built.user_lines, *Redaction::Make(Redaction::kDefault), [&](proto::Symbols lines) {
    proto::Envelope source = EnvelopeOf("");
    *source.mutable_symbols() = std::move(lines);
    messages.push_back(source.SerializeAsString());
  });
  return messages;
}

}  // namespace memprof
