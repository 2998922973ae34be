#include "symbols/symbolizer.h"

#include <algorithm>

#include "base/valid_utf8.h"
#include "symbols/debug_lines.h"
#include "symbols/demangle.h"
#include "symbols/elf_file.h"

namespace memprof {
namespace {

constexpr size_t kMaxFileBytes = 1024;

bool IsHex(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string DebugPath(const std::string& debug_root, const std::string& build_id) {
  return debug_root + "/.build-id/" + build_id.substr(0, 2) + '/' + build_id.substr(2) + ".debug";
}

// Fills `calls` where the file's DWARF knows the address. False: the file has none.
bool FindLines(const ElfFile& file, const std::vector<uint64_t>& addresses, size_t max_bytes, Symbolized* symbolized) {
  Result<DebugLines> lines = DebugLines::Read(file, max_bytes);
  if (!lines.ok()) {
    symbolized->lines_left_out |= lines.status().code() == ErrorCode::kExhausted;
    return lines.status().code() != ErrorCode::kNotFound;
  }
  for (size_t i = 0; i < addresses.size(); ++i) symbolized->calls[i] = lines->Find(addresses[i]);
  symbolized->lines_left_out |= lines->exhausted();
  return true;
}

// For a local function, the linker's name is more complete than DWARF's.
void Show(const std::string& linker_name, SourceCalls* calls) {
  if (calls->empty()) calls->emplace_back();
  if (!linker_name.empty()) calls->front().function = linker_name;
  for (SourceCall& call : *calls) {
    call.function = ShownName(call.function);
    call.file = ValidUtf8(call.file.substr(0, kMaxFileBytes));
  }
}

}  // namespace

std::string ShownName(const std::string& linker_name) {
  std::string name = Demangled(linker_name);
  if (name.size() > kMaxNameBytes) {
    size_t end = kMaxNameBytes;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
    name.resize(end == 0 ? kMaxNameBytes : end);
  }
  return ValidUtf8(name);
}

Result<Symbolized> Symbolize(const std::string& module, const std::string& build_id, const std::vector<uint64_t>& return_addresses,
                             const SymbolizerOptions& options) {
  std::vector<uint64_t> addresses;
  addresses.reserve(return_addresses.size());
  for (const uint64_t address : return_addresses) addresses.push_back(address == 0 ? 0 : address - 1);

  const Result<ElfFile> file = ElfFile::Open(module);
  if (!file.ok()) return file.status();
  if (!build_id.empty() && file->build_id() != build_id) {
    return Status::Error(ErrorCode::kNotFound, "%s is not the file that was loaded: build id %s", module.c_str(), file->build_id().c_str());
  }
  std::vector<std::string> names;
  const Status status = file->FindFunctions(addresses, &names);
  if (!status.ok()) return status;
  Symbolized symbolized;
  symbolized.calls.resize(addresses.size());
  bool has_lines = FindLines(*file, addresses, options.debug_bytes, &symbolized);

  const std::string& id = file->build_id();
  if ((!file->has_symbol_table() || !has_lines) && id.size() > 2 && IsHex(id)) {
    const Result<ElfFile> debug = ElfFile::Open(DebugPath(options.debug_root, id));
    std::vector<std::string> debug_names;
    if (debug.ok() && debug->build_id() == id && debug->FindFunctions(addresses, &debug_names).ok()) {
      for (size_t i = 0; i < names.size(); ++i) {
        if (!debug_names[i].empty()) names[i] = debug_names[i];
      }
      if (!has_lines) FindLines(*debug, addresses, options.debug_bytes, &symbolized);
    }
  }
  for (size_t i = 0; i < names.size(); ++i) Show(names[i], &symbolized.calls[i]);
  return symbolized;
}

}  // namespace memprof
