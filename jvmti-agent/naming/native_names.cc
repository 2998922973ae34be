#include "naming/native_names.h"

namespace memprof {

std::optional<std::string> NativeNames::Find(const NativeFrame& frame) const {
  const std::lock_guard lock(mutex_);
  const auto known = names_.find(frame);
  if (known == names_.end()) return std::nullopt;
  return known->second;
}

void NativeNames::Put(const NativeFrame& frame, const std::string& function) {
  constexpr size_t kEntryBytes = 160;  // nodes, string headers
  const size_t bytes = kEntryBytes + frame.module.size() + frame.build_id.size() + function.size();
  const std::lock_guard lock(mutex_);
  if (bytes_ + bytes > kMaxBytes) {
    names_.clear();
    bytes_ = 0;
  }
  if (names_.insert_or_assign(frame, function).second) bytes_ += bytes;
}

}  // namespace memprof
