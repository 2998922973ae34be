// SymbolTable: names of native code that arrive after the profiles that need them (and sometimes before). Keyed by
// (build id, or module path where there is none, offset). An entry without a function says that no name will come.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <utility>

#include "proto/memprof.pb.h"
#include "store/interner.h"

namespace memprof {

struct SymbolName {
  StringId function = 0, file = 0;
  uint32_t line = 0;
};

class SymbolTable {
 public:
  explicit SymbolTable(std::pmr::memory_resource* memory) : names_(memory) {}

  // The same code named twice (two executors) keeps the name that sorts last, so that the order of arrival is no matter.
  void Add(const proto::Symbol& symbol, Interner& interner);

  // The entry for a native frame, or nullptr.
  const SymbolName* Find(const InternedFrame& frame) const;

  // The entries that frames already copied by `copy` need, in its interner (bounds.h).
  SymbolTable CopyUsed(InternerCopy& copy, std::pmr::memory_resource* memory) const;

  size_t size() const { return names_.size(); }

 private:
  using Key = std::pair<StringId, uint64_t>;
  std::pmr::map<Key, SymbolName> names_;
};

}  // namespace memprof
