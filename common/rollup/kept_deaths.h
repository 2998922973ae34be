// KeptDeaths: what executors sent about deaths, as serialised messages, by who died. At most kMost are kept. kMostWhole of them are whole,
// half of these the newest and half the largest; the others are short. Which ones does not depend on the order in which they came: a death
// that has become short is never among the newest or the largest again. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace memprof {

// `Key` is a tuple that begins with the executor's id. `Rules` has, for a Message: int64_t TimeMs(message); uint64_t Size(message), in
// bytes; bool Matters(message), false where it may be no death at all: such messages become short first; Message Shortened(message).
template <typename Key, typename Message, typename Rules>
class KeptDeaths {
 public:
  static constexpr size_t kMost = 10'000, kMostWhole = 200;

  struct Kept {
    std::string bytes;  // serialised Message
    size_t whole_bytes = 0;
    int64_t time_ms = 0;
    uint64_t size = 0;
    bool matters = false, is_short = false;
  };

  // False: there is no room for another one. Of two accounts of one death the longer one stays, so their order does not matter.
  bool Put(Key key, const Message& message) {
    const auto known = by_key_.find(key);
    if (known == by_key_.end() && by_key_.size() >= kMost) return false;
    std::string bytes = message.SerializeAsString();
    if (known != by_key_.end()) {
      const Kept& kept = known->second;
      if (kept.whole_bytes > bytes.size() || (kept.whole_bytes == bytes.size() && (kept.is_short || kept.bytes >= bytes))) return true;
    }
    whole_ += known == by_key_.end() || known->second.is_short;
    const size_t size = bytes.size();
    by_key_.insert_or_assign(std::move(key),
                             Kept{std::move(bytes), size, Rules::TimeMs(message), Rules::Size(message), Rules::Matters(message), false});
    if (whole_ > kMostWhole) ShortenOthers();
    return true;
  }

  bool contains(const Key& key) const { return by_key_.contains(key); }
  bool empty() const { return by_key_.empty(); }
  bool HasRoom() const { return by_key_.size() < kMost; }
  size_t size() const { return by_key_.size(); }

  // As it is kept, perhaps in short. Nothing: none is.
  std::optional<Message> Find(const Key& key) const {
    const auto known = by_key_.find(key);
    Message message;
    return known != by_key_.end() && message.ParseFromString(known->second.bytes) ? std::optional(std::move(message)) : std::nullopt;
  }

  // visit(key, message), in the order of keys, from `first` on while `wanted`(key).
  template <typename Wanted, typename Visit>
  void ForEachFrom(const Key& first, Wanted wanted, Visit visit) const {
    for (auto entry = by_key_.lower_bound(first); entry != by_key_.end() && wanted(entry->first); ++entry) {
      Message message;
      if (message.ParseFromString(entry->second.bytes)) visit(entry->first, message);
    }
  }

  template <typename Visit>
  void ForEach(Visit visit) const {
    if (!by_key_.empty())
      ForEachFrom(
          by_key_.begin()->first, [](const Key&) { return true; }, visit);
  }

  // visit(the first part of a key), once for each.
  template <typename Visit>
  void ForEachExecutor(Visit visit) const {
    const std::string* last = nullptr;
    for (const auto& [key, kept] : by_key_) {
      if (last != nullptr && *last == std::get<0>(key)) continue;
      last = &std::get<0>(key);
      visit(*last);
    }
  }

 private:
  void ShortenOthers() {
    std::vector<Kept*> whole;
    for (auto& [key, kept] : by_key_) {
      if (!kept.is_short) whole.push_back(&kept);
    }
    const auto newest_end = whole.begin() + kMostWhole / 2, largest_end = whole.begin() + kMostWhole;
    std::stable_sort(whole.begin(), whole.end(),
                     [](const Kept* a, const Kept* b) { return std::tie(a->matters, a->time_ms) > std::tie(b->matters, b->time_ms); });
    std::stable_sort(newest_end, whole.end(),
                     [](const Kept* a, const Kept* b) { return std::tie(a->matters, a->size) > std::tie(b->matters, b->size); });
    std::for_each(largest_end, whole.end(), [](Kept* kept) {
      Message message;
      if (message.ParseFromString(kept->bytes)) kept->bytes = Rules::Shortened(message).SerializeAsString();
      kept->is_short = true;
    });
    whole_ = kMostWhole;
  }

  std::map<Key, Kept> by_key_;
  size_t whole_ = 0;  // that are not short
};

}  // namespace memprof
