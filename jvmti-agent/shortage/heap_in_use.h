// HeapInUse: what the JVM's heap has in use now. Garbage counts, too, so it says something only directly after a collection. Read() is
// what Runtime.totalMemory() and freeMemory() do, but without Java code: nothing is allocated in the heap. Older JVMs take the heap's
// lock for it, and other threads may be in front.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <optional>

namespace memprof {

class HeapInUse {
 public:
  HeapInUse();  // looks up the JVM's functions: not while the heap is full

  // In bytes. Call it on a Java thread in native code. Nothing: this JVM doesn't export the functions.
  std::optional<uint64_t> Read() const;

 private:
  using Ask = int64_t (*)();
  Ask total_ = nullptr, free_ = nullptr;
};

}  // namespace memprof
