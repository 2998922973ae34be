#include "profile/native_frames.h"

#include <utility>

#include "base/valid_utf8.h"

namespace memprof {
namespace {

void SetSource(const SourceCall& call, ProfileFrame* frame) {
  frame->function = ValidUtf8(call.function);
  frame->file = ValidUtf8(call.file);
  frame->line = call.line;
}

}  // namespace

std::vector<uint32_t> AddNativeFrame(ProfileFrame frame, const NativeCallsAt& calls_at, ProfileSites* sites) {
  std::vector<uint32_t> added;
  const SourceCalls calls = calls_at(frame.module, frame.build_id, frame.offset);
  for (size_t i = 0; i + 1 < calls.size(); ++i) {
    ProfileFrame outer;
    outer.language = Language::kNative;
    outer.module = frame.module;
    SetSource(calls[i], &outer);
    if (!outer.function.empty()) added.push_back(sites->AddFrame(std::move(outer)));  // an unnamed frame would wait for a name
  }
  if (!calls.empty()) SetSource(calls.back(), &frame);
  added.push_back(sites->AddFrame(std::move(frame)));
  return added;
}

}  // namespace memprof
