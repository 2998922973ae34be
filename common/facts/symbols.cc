#include "facts/symbols.h"

#include <algorithm>

namespace memprof {

void SymbolTable::Add(const proto::Symbol& symbol, Interner& interner) {
  constexpr int kMostOuterCalls = 32;
  const std::string& binary = symbol.build_id().empty() ? symbol.module() : symbol.build_id();
  const size_t outer_before = outer_.size();
  SymbolName name{interner.String(symbol.function()), interner.String(symbol.file()), symbol.line()};
  for (int i = 0; i < std::min(symbol.outer_calls_size(), kMostOuterCalls); ++i) {
    const proto::OuterCall& call = symbol.outer_calls(i);
    outer_.push_back({interner.String(call.function()), interner.String(call.file()), call.line(), name.outer});
    name.outer = static_cast<uint32_t>(outer_.size());
  }
  auto [entry, added] = names_.try_emplace(Key(interner.String(binary), symbol.offset()), name);
  if (added) return;
  SymbolName& known = entry->second;
  if (OrderOf(known, interner) < OrderOf(name, interner)) {
    known = name;
  } else {
    outer_.resize(outer_before);
  }
}

SymbolTable::Order SymbolTable::OrderOf(const SymbolName& name, const Interner& interner) const {
  Order order;
  for (const SymbolName* at = &name; at != nullptr; at = Outer(*at)) {
    order.emplace_back(interner.StringAt(at->function), interner.StringAt(at->file), at->line);
  }
  return order;
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
    if (table.names_.contains(key)) return;
    std::vector<const SymbolName*> chain;
    for (const SymbolName* at = name; at != nullptr; at = Outer(*at)) chain.push_back(at);
    SymbolName copied;
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      if (at != chain.rbegin()) {
        table.outer_.push_back(copied);
        copied.outer = static_cast<uint32_t>(table.outer_.size());
      }
      copied = {copy.String((*at)->function), copy.String((*at)->file), (*at)->line, copied.outer};
    }
    table.names_.emplace(key, copied);
  });
  return table;
}

}  // namespace memprof
