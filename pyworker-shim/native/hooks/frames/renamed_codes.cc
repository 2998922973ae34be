#include "frames/renamed_codes.h"

#include "base/hash.h"

namespace memprof {

// A sequence lock's writer.
class RenamedCodes::Change {
 public:
  explicit Change(std::atomic<uint32_t>& generation) : generation_(generation) {
    generation_.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }
  ~Change() { generation_.fetch_add(1, std::memory_order_release); }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  std::atomic<uint32_t>& generation_;
};

const RenamedCodes::Name* RenamedCodes::Find(const void* code) const {
  const size_t count = count_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < count; ++i) {
    if (codes_[i].load(std::memory_order_relaxed) == code) return &names_[i];
  }
  return nullptr;
}

uint64_t RenamedCodes::FindWord(const void* code) const {
  const Name* name = Find(code);
  return name == nullptr ? 0 : name->word.load(std::memory_order_relaxed);
}

void RenamedCodes::Add(const void* code, StringRef name) {
  if (name.size == 0 || name.size > kNameBytes) return;
  const Change change(generation_);
  const size_t count = count_.load(std::memory_order_relaxed);
  const Name* known = Find(code);
  const size_t place = known == nullptr ? count : static_cast<size_t>(known - names_);
  if (place == kMost) return;
  codes_[place].store(code, std::memory_order_relaxed);
  names_[place].word.store(HashBytes(name.data, name.size, 1), std::memory_order_relaxed);
  names_[place].size.store(name.size, std::memory_order_relaxed);
  for (size_t i = 0; i < name.size; ++i) names_[place].text[i].store(name.data[i], std::memory_order_relaxed);
  if (known == nullptr) count_.store(count + 1, std::memory_order_relaxed);
  bits_.fetch_or(BitOf(code), std::memory_order_relaxed);
}

void RenamedCodes::Clear() {
  if (count_.load(std::memory_order_relaxed) == 0) return;
  const Change change(generation_);
  bits_.store(0, std::memory_order_relaxed);
  count_.store(0, std::memory_order_relaxed);
}

StringRef RenamedCodes::NameOf(const void* code, char* buffer) const {
  if (!MayHave(code)) return {};
  const uint32_t before = generation();
  const Name* name = Find(code);
  if (name == nullptr) return {};
  const uint32_t size = name->size.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < size; ++i) buffer[i] = name->text[i].load(std::memory_order_relaxed);
  return IsStill(before) ? StringRef{buffer, size} : StringRef{};
}

}  // namespace memprof
