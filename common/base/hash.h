// Hashing and checksums of records: fast, 64-bit, not cryptographic. They distinguish a torn or misplaced record from a whole
// one. They are no defence against forgery (the box belongs to the only user who could forge it). Pure functions, callable from
// hooks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace memprof {

// splitmix64's finaliser: every input bit moves about half of the output bits.
constexpr uint64_t Mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr uint64_t HashPair(uint64_t a, uint64_t b) { return Mix64(a * 0x9e3779b97f4a7c15u + Mix64(b + 0x9e3779b97f4a7c15u)); }

// Of any bytes. A changed seed gives an independent function.
inline uint64_t HashBytes(const void* data, size_t size, uint64_t seed) {
  constexpr uint64_t kMultiplier = 0x9fb21c651e98df25u;
  const char* bytes = static_cast<const char*>(data);
  uint64_t hash = Mix64(seed ^ (size * 0x9e3779b97f4a7c15u));
  for (; size >= 8; bytes += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
  }
  if (size > 0) {
    uint64_t word = 0;
    memcpy(&word, bytes, size);
    hash = (hash ^ word) * kMultiplier;
  }
  return Mix64(hash);
}

}  // namespace memprof
