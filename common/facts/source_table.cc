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
  const bool full = texts_.size() >= kMostLines;
  if (full && !interner.Find(line.file())) return;  // before anything is interned
  const Key key(interner.String(line.file()), line.line());
  const auto known = texts_.find(key);
  if (known == texts_.end()) {
    if (!full) texts_.emplace(key, interner.String(line.text()));
  } else if (interner.StringAt(known->second) != line.text()) {
    known->second = interner.String("");  // and so it stays
  }
}

void SourceTable::AddOfDriver(const proto::DriverSource& source) {
  const auto bytes_of = [](std::string_view file, std::string_view text) { return 2 * file.size() + text.size(); };
  if (source.text().empty()) return;
  if (const auto known = driver_texts_.find(std::string_view(source.file())); known != driver_texts_.end()) {
    const bool is_cell = source.number() != 0;  // its name stands for its text
    if (!is_cell && std::string_view(known->second) != source.text()) {
      driver_bytes_ -= known->second.size();
      known->second.clear();
    }
    return;
  }
  if (bytes_of(source.file(), source.text()) > kMostDriverBytes) return;
  driver_bytes_ += bytes_of(source.file(), source.text());
  driver_texts_.emplace(source.file(), source.text());
  order_.emplace_back(source.file());
  while (driver_bytes_ > kMostDriverBytes) {
    const auto first = driver_texts_.find(order_.front());
    driver_bytes_ -= bytes_of(first->first, first->second);
    driver_texts_.erase(first);
    order_.pop_front();
  }
}

std::string_view SourceTable::Find(const InternedFrame& frame, const Interner& interner) const {
  if (frame.language != Language::kPython || frame.line == 0) return {};
  const auto text = driver_texts_.find(interner.StringAt(frame.file));
  if (text != driver_texts_.end() && text->second.empty()) return {};  // of two versions
  const std::string_view of_driver = text == driver_texts_.end() ? std::string_view() : LineOf(text->second, frame.line);
  const auto found = texts_.find(Key(frame.file, frame.line));
  if (found == texts_.end()) return of_driver;
  const std::string_view of_executors = interner.StringAt(found->second);
  return of_driver.empty() || of_driver == of_executors ? of_executors : std::string_view();
}

SourceTable SourceTable::CopyUsed(InternerCopy& copy, std::pmr::memory_resource* memory) const {
  SourceTable table(memory);
  copy.ForEachCopiedFrame([&](const InternedFrame& frame) {
    const auto found = texts_.find(Key(frame.file, frame.line));
    if (found != texts_.end()) table.texts_.emplace(Key(copy.String(frame.file), frame.line), copy.String(found->second));
  });
  table.driver_texts_ = driver_texts_;
  table.order_ = order_;
  table.driver_bytes_ = driver_bytes_;
  return table;
}

}  // namespace memprof
