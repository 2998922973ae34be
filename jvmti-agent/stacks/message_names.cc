#include "stacks/message_names.h"

#include "base/valid_utf8.h"

namespace memprof {

MessageNames::MessageNames(proto::TaskProfile* names) : names_(names) {
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
  for (const JvmFrame* frame : stacks.Frames(stack)) {
    if (node == 0 && frame->launches_tasks) continue;
    const auto [entry, added] = nodes_.try_emplace({node, Frame(*frame)}, static_cast<uint32_t>(nodes_.size()) + 1);
    if (added) {
      proto::Stack* message = names_->add_stacks();
      message->set_parent(node);
      message->set_frame(entry->first.second);
    }
    node = entry->second;
  }
  return node;
}

uint32_t MessageNames::Frame(const JvmFrame& frame) {
  const std::string key = frame.function + '\n' + frame.file + '\n' + std::to_string(frame.line);
  const auto [entry, added] = frames_.try_emplace(key, static_cast<uint32_t>(frames_.size()));
  if (added) {
    proto::Frame* message = names_->add_frames();
    message->set_language(proto::JAVA);
    message->set_function(String(frame.function));
    message->set_file(String(frame.file));
    message->set_line(frame.line);
    message->set_in_framework(frame.launches_tasks);
  }
  return entry->second;
}

}  // namespace memprof
