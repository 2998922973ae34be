#include "symbols/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace memprof {
namespace {

constexpr size_t kMostSections = 65536;
constexpr size_t kMostBuildIdBytes = 64;
constexpr size_t kMostNoteBytes = 65536;
constexpr size_t kMostSectionNameBytes = 1u << 20;
constexpr size_t kPieceSymbols = 5461;  // 128 KiB
constexpr size_t kMostNameBytes = 4096;

std::string Hex(const unsigned char* bytes, size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    text.push_back(kDigits[bytes[i] >> 4]);
    text.push_back(kDigits[bytes[i] & 15]);
  }
  return text;
}

bool IsFunction(const Elf64_Sym& symbol) {
  const int type = ELF64_ST_TYPE(symbol.st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF;
}

// One function may have several names: the exported one is the best known.
int RankOf(const Elf64_Sym& symbol) {
  switch (ELF64_ST_BIND(symbol.st_info)) {
    case STB_GLOBAL:
      return 3;
    case STB_WEAK:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

ElfFile::ElfFile(ElfFile&& other) noexcept { *this = std::move(other); }

ElfFile& ElfFile::operator=(ElfFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(file_size_, other.file_size_);
  std::swap(sections_, other.sections_);
  std::swap(symbols_, other.symbols_);
  std::swap(dynamic_symbols_, other.dynamic_symbols_);
  std::swap(section_names_, other.section_names_);
  std::swap(build_id_, other.build_id_);
  return *this;
}

ElfFile::~ElfFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<ElfFile> ElfFile::Open(const std::string& path) {
  ElfFile file;
  const Status status = file.Load(path);
  if (!status.ok()) return status;
  return file;
}

Status ElfFile::Load(const std::string& path) {
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  if (descriptor_ < 0 || fstat(descriptor_, &info) != 0) {
    return Status::Error(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, "cannot open %s: %s", path.c_str(), strerror(errno));
  }
  if (!S_ISREG(info.st_mode)) return Status::Error(ErrorCode::kUnsupported, "%s is not a regular file", path.c_str());
  file_size_ = static_cast<uint64_t>(info.st_size);
  return LoadSections(path);
}

Status ElfFile::LoadSections(const std::string& path) {
  Elf64_Ehdr header;
  const bool readable = Read(0, &header, sizeof header) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  if (!readable || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_shentsize != sizeof(Elf64_Shdr)) {
    return Status::Error(ErrorCode::kUnsupported, "%s is no 64-bit little-endian ELF file with sections", path.c_str());
  }
  uint64_t count = header.e_shnum;
  if (count == 0) {  // more than fit: the first header's size is the number
    Elf64_Shdr first;
    if (!Read(header.e_shoff, &first, sizeof first)) return Status::Error(ErrorCode::kCorrupt, "%s: no section headers", path.c_str());
    count = first.sh_size;
  }
  if (count > kMostSections) return Status::Error(ErrorCode::kCorrupt, "%s: too many sections", path.c_str());
  std::vector<Elf64_Shdr> headers(count);
  if (!Read(header.e_shoff, headers.data(), count * sizeof(Elf64_Shdr))) {
    return Status::Error(ErrorCode::kCorrupt, "%s: section headers beyond the file's end", path.c_str());
  }
  for (const Elf64_Shdr& one : headers) {
    sections_.push_back({one.sh_name, one.sh_type, one.sh_flags, one.sh_addr, one.sh_offset, one.sh_size, one.sh_entsize, one.sh_link});
    const size_t index = sections_.size() - 1;
    const bool table = one.sh_entsize == sizeof(Elf64_Sym) && one.sh_link < count && headers[one.sh_link].sh_type == SHT_STRTAB;
    if (one.sh_type == SHT_SYMTAB && table) symbols_ = index;
    if (one.sh_type == SHT_DYNSYM && table) dynamic_symbols_ = index;
    if (one.sh_type == SHT_NOTE && build_id_.empty()) LoadBuildId(sections_.back());
  }
  const uint64_t names = header.e_shstrndx == SHN_XINDEX && count > 0 ? headers[0].sh_link : header.e_shstrndx;
  if (names < count && headers[names].sh_size <= kMostSectionNameBytes) {
    section_names_.resize(headers[names].sh_size);
    if (!Read(headers[names].sh_offset, section_names_.data(), section_names_.size())) section_names_.clear();
  }
  return {};
}

std::optional<ElfFile::Extent> ElfFile::FindSection(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.type == SHT_NULL || section.type == SHT_NOBITS || section.size == 0 || section.name >= section_names_.size()) continue;
    const char* text = section_names_.c_str() + section.name;  // ends with the string at the latest
    if (name == text) return Extent{section.offset, section.size, (section.flags & SHF_COMPRESSED) != 0};
  }
  return std::nullopt;
}

bool ElfFile::ReadExtent(const Extent& extent, void* target) const { return Read(extent.offset, target, extent.size); }

void ElfFile::LoadBuildId(const Section& note) {
  std::vector<unsigned char> bytes(std::min<uint64_t>(note.size, kMostNoteBytes));
  if (!Read(note.offset, bytes.data(), bytes.size())) return;
  const auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
  uint64_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= bytes.size()) {
    Elf64_Nhdr entry;
    memcpy(&entry, &bytes[at], sizeof entry);
    const uint64_t name = at + sizeof entry;
    const uint64_t descriptor = name + padded(entry.n_namesz);
    const uint64_t end = descriptor + padded(entry.n_descsz);
    if (descriptor > bytes.size() || end > padded(bytes.size()) || descriptor + entry.n_descsz > bytes.size()) return;
    if (entry.n_type == NT_GNU_BUILD_ID && entry.n_namesz == 4 && memcmp(&bytes[name], "GNU", 4) == 0 &&
        entry.n_descsz <= kMostBuildIdBytes) {
      build_id_ = Hex(bytes.data() + descriptor, entry.n_descsz);
      return;
    }
    at = end;
  }
}

// Reads all of the bytes, or returns false.
bool ElfFile::Read(uint64_t offset, void* target, size_t size) const {
  if (offset > file_size_ || size > file_size_ - offset) return false;
  auto* bytes = static_cast<char*>(target);
  while (size > 0) {
    const ssize_t got = pread(descriptor_, bytes, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;  // the file was truncated meanwhile
    bytes += got;
    size -= static_cast<size_t>(got);
    offset += static_cast<uint64_t>(got);
  }
  return true;
}

Status ElfFile::FindFunctions(const std::vector<uint64_t>& addresses, std::vector<std::string>* names) const {
  names->assign(addresses.size(), "");
  std::vector<uint64_t> sorted = addresses;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (const size_t table : {symbols_, dynamic_symbols_}) {
    if (table == kNone) continue;
    std::vector<Candidate> best(sorted.size());
    if (!SearchTable(table, sorted, &best)) return Status::Error(ErrorCode::kCorrupt, "a symbol table lies beyond the file's end");
    for (size_t i = 0; i < addresses.size(); ++i) {
      const size_t position = static_cast<size_t>(std::lower_bound(sorted.begin(), sorted.end(), addresses[i]) - sorted.begin());
      if ((*names)[i].empty() && best[position].rank != 0) (*names)[i] = NameAt(table, best[position].name_offset);
    }
  }
  return {};
}

// The innermost function that contains an address: of those that begin at or before it and end behind it, the one that begins last.
bool ElfFile::SearchTable(size_t table, const std::vector<uint64_t>& sorted, std::vector<Candidate>* best) const {
  const Section& section = sections_[table];
  const uint64_t count = section.size / sizeof(Elf64_Sym);
  std::vector<Elf64_Sym> piece(std::min<uint64_t>(count, kPieceSymbols));
  for (uint64_t done = 0; done < count; done += piece.size()) {
    piece.resize(std::min<uint64_t>(piece.size(), count - done));
    if (!Read(section.offset + done * sizeof(Elf64_Sym), piece.data(), piece.size() * sizeof(Elf64_Sym))) return false;
    for (const Elf64_Sym& symbol : piece) {
      if (!IsFunction(symbol) || symbol.st_size == 0 || symbol.st_value + symbol.st_size < symbol.st_value) continue;
      auto held = std::lower_bound(sorted.begin(), sorted.end(), symbol.st_value);
      for (; held != sorted.end() && *held < symbol.st_value + symbol.st_size; ++held) {
        Candidate& candidate = (*best)[static_cast<size_t>(held - sorted.begin())];
        const int rank = RankOf(symbol);
        const bool better =
            candidate.rank == 0 || symbol.st_value > candidate.value || (symbol.st_value == candidate.value && rank > candidate.rank);
        if (better) candidate = {symbol.st_value, symbol.st_name, rank};
      }
    }
  }
  return true;
}

std::string ElfFile::NameAt(size_t table, uint64_t offset) const {
  const Section& strings = sections_[sections_[table].link];
  if (offset >= strings.size) return {};
  std::string name(std::min<uint64_t>(strings.size - offset, kMostNameBytes), '\0');
  if (strings.offset + offset < strings.offset) return {};
  const uint64_t begin = strings.offset + offset;
  if (begin >= file_size_) return {};
  name.resize(std::min<uint64_t>(name.size(), file_size_ - begin));
  if (!Read(begin, name.data(), name.size())) return {};
  name.resize(strnlen(name.data(), name.size()));
  return name;
}

}  // namespace memprof
