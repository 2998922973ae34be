// Makes the messages that executors send, for tests: frames and stacks are given as lists and indexed here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "proto/envelope.h"
#include "proto/memprof.pb.h"

namespace memprof::testing {

struct TestFrame {
  proto::Language language = proto::PYTHON;
  std::string function, file, module, build_id;
  uint32_t line = 0;
  uint64_t offset = 0;
  bool in_framework = false;
};

inline TestFrame Python(const std::string& function, const std::string& file, uint32_t line) {
  return {proto::PYTHON, function, file, "", "", line, 0, false};
}
inline TestFrame Framework(const std::string& function, const std::string& file, uint32_t line) {
  return {proto::PYTHON, function, file, "", "", line, 0, true};
}
inline TestFrame Java(const std::string& module, const std::string& function, const std::string& file, uint32_t line) {
  return {proto::JAVA, function, file, module, "", line, 0, false};
}
inline TestFrame Unnamed(const std::string& module, const std::string& build_id, uint64_t offset) {
  return {proto::NATIVE, "", "", module, build_id, 0, offset, false};
}

class ProfileBuilder {
 public:
  ProfileBuilder(int64_t task_attempt_id, int stage_id, int partition, const std::string& executor = "1") {
    envelope_ = EnvelopeOf(executor);
    proto::TaskProfile& profile = *envelope_.mutable_task();
    profile.set_task_attempt_id(task_attempt_id);
    profile.set_sequence(1);
    profile.set_final(true);
    profile.set_stage_id(stage_id);
    profile.set_partition(partition);
    profile.set_python_interval_bytes(65536);
    profile.set_jvm_interval_bytes(524288);
    profile.add_strings("");
  }

  proto::TaskProfile& profile() { return *envelope_.mutable_task(); }

  uint32_t Udf(const std::string& name, const std::string& file, uint32_t line, const std::string& kind) {
    proto::Udf& udf = *profile().add_udfs();
    udf.set_name(name);
    udf.set_file(file);
    udf.set_line(line);
    udf.set_kind(kind);
    return static_cast<uint32_t>(profile().udfs_size());
  }

  // An exactly counted site; change the result for anything else.
  proto::Site& Site(proto::Origin origin, const std::vector<TestFrame>& frames, uint64_t allocated_bytes, uint64_t allocations) {
    proto::Site& site = *profile().add_sites();
    site.set_origin(origin);
    site.set_stack(Stack(frames));
    site.set_allocated_bytes(allocated_bytes);
    site.set_allocations(allocations);
    return site;
  }

  uint32_t Stack(const std::vector<TestFrame>& frames) {
    uint32_t parent = 0;
    for (const TestFrame& from : frames) {
      proto::Frame& frame = *profile().add_frames();
      frame.set_language(from.language);
      frame.set_function(String(from.function));
      frame.set_file(String(from.file));
      frame.set_module(String(from.module));
      frame.set_build_id(String(from.build_id));
      frame.set_line(from.line);
      frame.set_offset(from.offset);
      frame.set_in_framework(from.in_framework);
      proto::Stack& stack = *profile().add_stacks();
      stack.set_parent(parent);
      stack.set_frame(static_cast<uint32_t>(profile().frames_size()) - 1);
      parent = static_cast<uint32_t>(profile().stacks_size());
    }
    return parent;
  }

  // Of the worker that served the task, whose session was the last one in them.
  proto::Leftovers& Leftovers(int32_t pid, uint64_t session) {
    proto::Leftovers& leftovers = *profile().add_leftovers();
    leftovers.set_pid(pid);
    leftovers.set_since_ms(1000 + pid);
    leftovers.set_session(session);
    leftovers.set_through(session);
    leftovers.set_complete(true);
    for (int udf = 1; udf <= profile().udfs_size(); ++udf) leftovers.add_udfs(static_cast<uint32_t>(udf));
    return leftovers;
  }

  std::string Bytes() const { return envelope_.SerializeAsString(); }

 private:
  uint32_t String(const std::string& text) {
    if (text.empty()) return 0;
    auto [entry, added] = strings_.try_emplace(text, static_cast<uint32_t>(profile().strings_size()));
    if (added) profile().add_strings(text);
    return entry->second;
  }

  proto::Envelope envelope_;
  std::map<std::string, uint32_t> strings_;
};

inline std::string SymbolBytes(const std::string& build_id, uint64_t offset, const std::string& function, const std::string& file = "",
                               uint32_t line = 0, const std::vector<std::string>& inlined_into = {}) {
  proto::Envelope envelope = EnvelopeOf("");
  proto::Symbol& symbol = *envelope.mutable_symbols()->add_symbols();
  symbol.set_build_id(build_id);
  symbol.set_offset(offset);
  symbol.set_function(function);
  symbol.set_file(file);
  symbol.set_line(line);
  for (const std::string& outer : inlined_into) {
    proto::OuterCall* call = symbol.add_outer_calls();
    call->set_function(outer);
    call->set_file(outer + ".h");
    call->set_line(line + static_cast<uint32_t>(symbol.outer_calls_size()));
  }
  return envelope.SerializeAsString();
}

}  // namespace memprof::testing
