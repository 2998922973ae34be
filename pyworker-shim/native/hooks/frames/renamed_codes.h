// RenamedCodes: names of functions that were given another name than their code has (f.__name__ = "price_0"): closures of one factory.
// PySpark's worker unpickles each UDF by itself, so that each has a code object of its own, by whose address its name is found.
//
// Mostly empty. Add() and Clear() are for one thread at a time, beside any number of readers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sites/recorder.h"

namespace memprof {

class RenamedCodes {
 public:
  static constexpr size_t kMost = 64;        // further ones keep their code's name
  static constexpr size_t kNameBytes = 128;  // those with longer names, too

  // Not HOOK. `code` stays alive until Clear(). A second name takes the place of the first.
  void Add(const void* code, StringRef name);
  void Clear();

  // HOOK. Distinguishes code by its name here; 0: it has none.
  uint64_t WordOf(const void* code) const { return MayHave(code) ? FindWord(code) : 0; }
  // HOOK. In `buffer`, of kNameBytes. Empty: it has none, or names have just changed.
  StringRef NameOf(const void* code, char* buffer) const;

  // HOOK. What was found out since `generation` was read may be remembered only if nothing has changed.
  uint32_t generation() const { return generation_.load(std::memory_order_acquire); }
  bool IsStill(uint32_t generation) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return generation % 2 == 0 && generation_.load(std::memory_order_relaxed) == generation;
  }

 private:
  struct Name {
    std::atomic<uint64_t> word{0};
    std::atomic<uint32_t> size{0};
    std::atomic<char> text[kNameBytes] = {};
  };
  class Change;

  static uint64_t BitOf(const void* code) { return uint64_t{1} << (reinterpret_cast<uintptr_t>(code) * 0x9e3779b97f4a7c15u >> 58); }
  // One load for nearly every frame.
  bool MayHave(const void* code) const { return (bits_.load(std::memory_order_relaxed) & BitOf(code)) != 0; }
  const Name* Find(const void* code) const;
  uint64_t FindWord(const void* code) const;

  std::atomic<uint32_t> generation_{0};  // odd while a change is going on
  std::atomic<uint64_t> bits_{0};        // of all codes
  std::atomic<size_t> count_{0};
  std::atomic<const void*> codes_[kMost] = {};
  Name names_[kMost] = {};
};

}  // namespace memprof
