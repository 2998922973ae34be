#include "profile/cell_message.h"

#include "profile/source_names.h"
#include "proto/envelope.h"

namespace memprof {

std::string CellMessage(std::string_view file, uint32_t number, std::string_view text, const Redaction& redaction) {
  constexpr int kMostLines = 1000;
  const std::string name = SourceName(file, "");
  if (name == file) return {};
  proto::Envelope envelope = EnvelopeOf("");
  proto::NotebookCell& cell = *envelope.mutable_symbols()->add_cells();
  cell.set_file(name);
  cell.set_number(number);
  std::string shown;
  for (int line = 0; line < kMostLines && !text.empty(); ++line) {
    const size_t end = text.find('\n');
    shown += ShownLine(text.substr(0, end), redaction) + '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  cell.set_text(shown);
  return envelope.SerializeAsString();
}

}  // namespace memprof
