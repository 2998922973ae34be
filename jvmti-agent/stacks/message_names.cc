#include "stacks/message_names.h"

#include "base/valid_utf8.h"

namespace memprof {

MessageNames::MessageNames(proto::TaskProfile* names, NativeNamesAt native) : names_(names), native_(std::move(native)) {
  names_->add_strings("");
  strings_.emplace("", 0);
}

uint32_t MessageNames::String(const std::string& text) {
  const auto [entry, added] = strings_.try_emplace(ValidUtf8(text), static_cast<uint32_t>(names_->strings_size()));
  if (added) names_->add_strings(entry->first);
  return entry->second;
}

uint32_t MessageNames::Stack(const JvmStacks& stacks, JvmStackId stack) {
  uint32_t node = 0;
  for (const JvmFrame* jvm : stacks.Frames(stack)) {
    if (node == 0 && jvm->launches_tasks) continue;
    for (const uint32_t frame : Frames(*jvm)) {
      const auto [entry, added] = nodes_.try_emplace({node, frame}, static_cast<uint32_t>(nodes_.size()) + 1);
      if (added) {
        proto::Stack* message = names_->add_stacks();
        message->set_parent(node);
        message->set_frame(frame);
      }
      node = entry->second;
    }
  }
  return node;
}

std::vector<uint32_t> MessageNames::Frames(const JvmFrame& frame) {
  proto::Frame message;
  if (!frame.is_native()) {
    message.set_language(proto::JAVA);
    message.set_function(String(frame.function));
    message.set_file(String(frame.file));
    message.set_line(frame.line);
    message.set_in_framework(frame.launches_tasks);
    return {Frame(message)};
  }
  std::vector<uint32_t> frames;
  message.set_language(proto::NATIVE);
  message.set_module(String(frame.module));
  SourceCalls calls;
  if (native_) calls = native_(frame.module, frame.build_id, frame.offset);
  for (size_t i = 0; i < calls.size(); ++i) {
    message.set_function(String(calls[i].function));
    message.set_file(String(calls[i].file));
    message.set_line(calls[i].line);
    if (i + 1 < calls.size() && message.function() != 0) frames.push_back(Frame(message));  // one without a name would wait for it
  }
  message.set_build_id(String(frame.build_id));
  message.set_offset(frame.offset);
  frames.push_back(Frame(message));
  return frames;
}

uint32_t MessageNames::Frame(const proto::Frame& frame) {
  const auto [entry, added] = frames_.try_emplace(frame.SerializeAsString(), static_cast<uint32_t>(frames_.size()));
  if (added) *names_->add_frames() = frame;
  return entry->second;
}

}  // namespace memprof
