#include "naming/native_names.h"

#include <utility>

namespace memprof {

std::optional<SourceCalls> NativeNames::Find(const NativeFrame& frame) const {
  const std::lock_guard lock(mutex_);
  const auto known = names_.find(frame);
  if (known == names_.end()) return std::nullopt;
  return known->second;
}

void NativeNames::Put(const NativeFrame& frame, SourceCalls calls) {
  constexpr size_t kEntryBytes = 160;  // nodes, string headers
  size_t bytes = kEntryBytes + frame.module.size() + frame.build_id.size();
  for (const SourceCall& call : calls) bytes += sizeof call + call.function.size() + call.file.size();
  const std::lock_guard lock(mutex_);
  if (bytes_ + bytes > kMaxBytes) {
    names_.clear();
    bytes_ = 0;
  }
  if (names_.insert_or_assign(frame, std::move(calls)).second) bytes_ += bytes;
}

}  // namespace memprof
