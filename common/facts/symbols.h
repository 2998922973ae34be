// SymbolTable: names of native code that arrive after the profiles that need them (and sometimes before). Keyed by
// (build id, or module path where there is none, offset). An entry without a function says that no name will come.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "facts/interner.h"
#include "proto/memprof.pb.h"

namespace memprof {

struct SymbolName {
  StringId function = 0, file = 0;
  uint32_t line = 0;
  uint32_t outer = 0;  // what it was inlined into: for SymbolTable::Outer; 0 = nothing
};

class SymbolTable {
 public:
  explicit SymbolTable(std::pmr::memory_resource* memory) : names_(memory), outer_(memory) {}

  // If code was named twice (two executors), the name that sorts last is kept, so that the order of arrival does not matter.
  void Add(const proto::Symbol& symbol, Interner& interner);

  // The entry for a native frame, or nullptr.
  const SymbolName* Find(const InternedFrame& frame) const;

  // The function that a name was inlined into, or nullptr.
  const SymbolName* Outer(const SymbolName& name) const { return name.outer == 0 ? nullptr : &outer_[name.outer - 1]; }

  // The entries that the frames copied by `copy` need, in its interner (bounds.h).
  SymbolTable CopyUsed(InternerCopy& copy, std::pmr::memory_resource* memory) const;

  size_t size() const { return names_.size(); }

 private:
  using Key = std::pair<StringId, uint64_t>;
  using Order = std::vector<std::tuple<std::string_view, std::string_view, uint32_t>>;
  Order OrderOf(const SymbolName& name, const Interner& interner) const;

  std::pmr::map<Key, SymbolName> names_;
  std::pmr::vector<SymbolName> outer_;
};

}  // namespace memprof
