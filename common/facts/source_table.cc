#include "facts/source_table.h"

namespace memprof {

void SourceTable::Add(const proto::SourceLine& line, Interner& interner) {
  if (line.file().empty() || line.line() == 0 || line.text().empty() || line.text().size() > kMostTextBytes) return;
  if (texts_.size() >= kMostLines) return;  // before anything is interned
  const Key key(interner.String(line.file()), line.line());
  const StringId text = interner.String(line.text());
  const auto [entry, added] = texts_.try_emplace(key, text);
  if (!added && interner.StringAt(entry->second) < interner.StringAt(text)) entry->second = text;
}

StringId SourceTable::Find(const InternedFrame& frame) const {
  if (frame.language != Language::kPython) return 0;
  const auto found = texts_.find(Key(frame.file, frame.line));
  return found == texts_.end() ? 0 : found->second;
}

SourceTable SourceTable::CopyUsed(InternerCopy& copy, std::pmr::memory_resource* memory) const {
  SourceTable table(memory);
  copy.ForEachCopiedFrame([&](const InternedFrame& frame) {
    if (const StringId text = Find(frame)) table.texts_.emplace(Key(copy.String(frame.file), frame.line), copy.String(text));
  });
  return table;
}

}  // namespace memprof
