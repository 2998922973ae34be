#include "facts/source_table.h"

namespace memprof {
namespace {

std::string_view LineOf(std::string_view text, uint32_t line) {
  for (; line > 1; --line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

void SourceTable::Add(const proto::SourceLine& line, Interner& interner) {
  if (line.file().empty() || line.line() == 0 || line.text().empty() || line.text().size() > kMostTextBytes) return;
  if (texts_.size() >= kMostLines) return;  // before anything is interned
  const Key key(interner.String(line.file()), line.line());
  const StringId text = interner.String(line.text());
  const auto [entry, added] = texts_.try_emplace(key, text);
  if (!added && interner.StringAt(entry->second) < interner.StringAt(text)) entry->second = text;
}

void SourceTable::AddCell(const proto::NotebookCell& cell) {
  const auto bytes_of = [](std::string_view file, std::string_view text) { return 2 * file.size() + text.size(); };
  if (cell.text().empty() || cells_.contains(std::string_view(cell.file()))) return;  // of the same text, by its name
  if (bytes_of(cell.file(), cell.text()) > kMostCellBytes) return;
  cell_bytes_ += bytes_of(cell.file(), cell.text());
  cells_.emplace(cell.file(), cell.text());
  order_.emplace_back(cell.file());
  while (cell_bytes_ > kMostCellBytes) {
    const auto first = cells_.find(order_.front());
    cell_bytes_ -= bytes_of(first->first, first->second);
    cells_.erase(first);
    order_.pop_front();
  }
}

std::string_view SourceTable::Find(const InternedFrame& frame, const Interner& interner) const {
  if (frame.language != Language::kPython || frame.line == 0) return {};
  if (const auto found = texts_.find(Key(frame.file, frame.line)); found != texts_.end()) return interner.StringAt(found->second);
  const auto cell = cells_.find(interner.StringAt(frame.file));
  return cell == cells_.end() ? std::string_view() : LineOf(cell->second, frame.line);
}

SourceTable SourceTable::CopyUsed(InternerCopy& copy, std::pmr::memory_resource* memory) const {
  SourceTable table(memory);
  copy.ForEachCopiedFrame([&](const InternedFrame& frame) {
    const auto found = texts_.find(Key(frame.file, frame.line));
    if (found != texts_.end()) table.texts_.emplace(Key(copy.String(frame.file), frame.line), copy.String(found->second));
  });
  table.cells_ = cells_;
  table.order_ = order_;
  table.cell_bytes_ = cell_bytes_;
  return table;
}

}  // namespace memprof
