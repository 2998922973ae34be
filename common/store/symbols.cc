#include "store/symbols.h"

#include <tuple>

namespace memprof {

void SymbolTable::Add(const proto::Symbol& symbol, Interner& interner) {
  const std::string& binary = symbol.build_id().empty() ? symbol.module() : symbol.build_id();
  SymbolName name{interner.String(symbol.function()), interner.String(symbol.file()), symbol.line()};
  auto [entry, added] = names_.try_emplace(Key(interner.String(binary), symbol.offset()), name);
  if (added) return;
  SymbolName& known = entry->second;
  auto order = [&](const SymbolName& value) {
    return std::tuple(interner.StringAt(value.function), interner.StringAt(value.file), value.line);
  };
  if (order(known) < order(name)) known = name;
}

const SymbolName* SymbolTable::Find(const InternedFrame& frame) const {
  auto found = names_.find(Key(frame.build_id != 0 ? frame.build_id : frame.module, frame.offset));
  return found == names_.end() ? nullptr : &found->second;
}

SymbolTable SymbolTable::CopyUsed(InternerCopy& copy, std::pmr::memory_resource* memory) const {
  SymbolTable table(memory);
  copy.ForEachCopiedFrame([&](const InternedFrame& frame) {
    const SymbolName* name = frame.language == Language::kNative ? Find(frame) : nullptr;
    if (name == nullptr) return;
    Key key(copy.String(frame.build_id != 0 ? frame.build_id : frame.module), frame.offset);
    table.names_.try_emplace(key, SymbolName{copy.String(name->function), copy.String(name->file), name->line});
  });
  return table;
}

}  // namespace memprof
