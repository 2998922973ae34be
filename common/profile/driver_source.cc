#include "profile/driver_source.h"

#include "base/typed_code.h"
#include "profile/source_names.h"
#include "proto/envelope.h"

namespace memprof {
namespace {

constexpr int kMostLinesOfCell = 1000, kMostLinesOfScript = 4000;

std::string Message(std::string_view file, uint32_t number, std::string_view text, int most_lines, const Redaction& redaction) {
  proto::Envelope envelope = EnvelopeOf("");
  proto::DriverSource& source = *envelope.mutable_symbols()->add_driver_sources();
  source.set_file(std::string(file));
  source.set_number(number);
  std::string shown;
  for (int line = 0; line < most_lines && !text.empty(); ++line) {
    const size_t end = text.find('\n');
    shown += ShownLine(text.substr(0, end), redaction) + '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  source.set_text(shown);
  return envelope.SerializeAsString();
}

}  // namespace

std::string CellMessage(std::string_view file, uint32_t number, std::string_view text, const Redaction& redaction) {
  if (IsTypedAtPrompt(file)) return text.empty() ? "" : Message(file, 0, text, kMostLinesOfCell, redaction);
  const std::string name = SourceName(file, "");
  return name == file ? "" : Message(name, number, text, kMostLinesOfCell, redaction);
}

std::string ScriptMessage(std::string_view path, std::string_view text, const Redaction& redaction) {
  return path.starts_with('/') ? Message(path, 0, text, kMostLinesOfScript, redaction) : "";
}

}  // namespace memprof
