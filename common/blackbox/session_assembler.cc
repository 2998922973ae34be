#include "blackbox/session_assembler.h"

#include <cstring>
#include <utility>

#include "base/stack_fold.h"
#include "base/valid_utf8.h"

namespace memprof {

std::string SessionAssembler::StringAt(uint32_t reference) {
  if (reference == 0) return "";
  box::StringHead head;
  if (reference > strings.size() || strings.size() - reference < sizeof head) return Skip();
  memcpy(&head, strings.data() + reference, sizeof head);
  if (head.size > box::kMaxStringBytes || strings.size() - reference - sizeof head < head.size) return Skip();
  if (work_.beyond()) return Skip();
  work_.text_bytes += head.size;
  const char* text = strings.data() + reference + sizeof head;
  if (box::CheckOfString(text, head.size, reference) != head.check) return Skip();
  return ValidUtf8({text, head.size});
}

uint32_t SessionAssembler::Stack(uint32_t reference) {
  if (known_.empty()) known_.assign(nodes.size() + 1, {});
  Known above;  // of the nearest node that is known already, or of the root
  chain_.clear();
  for (uint32_t at = reference; at != 0;) {
    ++work_.records;
    if (at > nodes.size()) {
      above.depth = kBroken;
      break;
    }
    Known& known = known_[at];
    const box::Node& node = nodes[at - 1];
    if (known.depth == 0 && (node.check != box::CheckOf(node, at) || node.parent >= at)) known.depth = kBroken;
    if (known.depth != 0) {
      above = known;
      break;
    }
    chain_.push_back(at);
    at = node.parent;
  }
  for (auto node = chain_.rbegin(); node != chain_.rend(); ++node) {
    if (above.depth >= kMaxStackDepth) {
      above = {0, kBroken};
    } else {
      out_.stacks.push_back({above.stack, Frame(nodes[*node - 1].frame)});
      above = {static_cast<uint32_t>(out_.stacks.size()), above.depth + 1};
    }
    known_[*node] = above;
  }
  if (above.depth == kBroken) ++out_.skipped_records;
  return above.stack;
}

BoxFrame SessionAssembler::FrameOf(const box::Frame& from) {
  BoxFrame frame;
  frame.language = from.language <= static_cast<uint32_t>(Language::kJava) ? static_cast<Language>(from.language) : Language::kUnknown;
  frame.line = from.line;
  frame.first_line = from.first_line;
  frame.offset = from.offset;
  if (frame.language == Language::kNative) {
    Module(from.file, &frame);
  } else {
    frame.function = StringAt(from.function);
    frame.file = StringAt(from.file);
  }
  return frame;
}

std::string SessionAssembler::Skip() {
  ++out_.skipped_records;
  return "";
}

uint32_t SessionAssembler::Frame(uint32_t reference) {
  if (frame_of_.empty()) frame_of_.assign(frames.size() + 1, kUnseen);
  bool good = reference != 0 && reference <= frames.size();
  uint32_t& known = frame_of_[good ? reference : 0];
  if (known != kUnseen) return known;
  ++work_.records;
  BoxFrame frame;
  if (good) good = frames[reference - 1].check == box::CheckOf(frames[reference - 1], reference);
  if (good) {
    frame = FrameOf(frames[reference - 1]);
  } else {
    ++out_.skipped_records;
  }
  known = static_cast<uint32_t>(out_.frames.size());
  out_.frames.push_back(std::move(frame));
  return known;
}

void SessionAssembler::Module(uint32_t reference, BoxFrame* frame) {
  if (reference == 0) return;
  if (reference > modules.size() || modules[reference - 1].check != box::CheckOf(modules[reference - 1], reference)) {
    ++out_.skipped_records;
    return;
  }
  frame->module = StringAt(modules[reference - 1].path);
  frame->build_id = StringAt(modules[reference - 1].build_id);
}

}  // namespace memprof
