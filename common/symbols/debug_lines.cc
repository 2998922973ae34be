#include "symbols/debug_lines.h"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

extern "C" {
#include <libbacktrace/backtrace.h>
#include <libbacktrace/internal.h>
}

namespace memprof {
namespace {

constexpr const char* kSections[DEBUG_MAX] = {".debug_info", ".debug_line",        ".debug_abbrev",   ".debug_ranges",  ".debug_str",
                                              ".debug_addr", ".debug_str_offsets", ".debug_line_str", ".debug_rnglists"};
constexpr size_t kMostInlined = 16;  // of one address; those nearest to the call are kept

// Blocks that are all freed together, because libbacktrace itself keeps what it has read until the process ends.
class Blocks {
 public:
  explicit Blocks(size_t most_bytes) : left_(most_bytes) {}
  ~Blocks() {
    while (first_ != nullptr) std::free(std::exchange(first_, first_->next));
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  void* Allocate(size_t size) {
    auto* block = size <= left_ ? static_cast<Block*>(std::malloc(sizeof(Block) + size)) : nullptr;
    if (block == nullptr) {
      exhausted_ = true;
      return nullptr;
    }
    left_ -= size;
    *block = {nullptr, first_, size};
    if (first_ != nullptr) first_->previous = block;
    first_ = block;
    return block + 1;
  }
  void Free(void* memory) {
    if (memory == nullptr) return;
    Block* block = static_cast<Block*>(memory) - 1;
    (block->previous != nullptr ? block->previous->next : first_) = block->next;
    if (block->next != nullptr) block->next->previous = block->previous;
    left_ += block->size;
    std::free(block);
  }
  bool exhausted() const { return exhausted_; }

 private:
  struct alignas(16) Block {
    Block* previous;
    Block* next;
    size_t size;
  };

  Block* first_ = nullptr;
  size_t left_;
  bool exhausted_ = false;
};

// libbacktrace passes its part of this struct to the functions that allocate.
struct State {
  explicit State(size_t most_bytes) : blocks(most_bytes) {}

  backtrace_state of_library = {};  // first
  Blocks blocks;
};
Blocks& BlocksOf(backtrace_state* state) { return reinterpret_cast<State*>(state)->blocks; }

void Ignore(void*, const char*, int) {}  // errors are ignored: what can't be read stays unknown

int AddCall(void* innermost_first, uintptr_t, const char* file, int line, const char* function) {
  auto text = [](const char* value) { return value != nullptr ? std::string(value) : std::string(); };
  if (file != nullptr || function != nullptr) {
    static_cast<SourceCalls*>(innermost_first)->push_back({text(function), text(file), static_cast<uint32_t>(std::max(line, 0))});
  }
  return 0;
}

}  // namespace

struct DebugLines::Reader : State {
  using State::State;

  // The section's bytes, decompressed if necessary; null: there is no such section, or no room for it.
  const unsigned char* ReadSection(const ElfFile& file, const ElfFile::Extent& extent, size_t* size) {
    auto* bytes = static_cast<unsigned char*>(blocks.Allocate(extent.size));
    if (bytes == nullptr || !file.ReadExtent(extent, bytes)) return nullptr;
    *size = extent.size;
    return extent.compressed ? Inflate(bytes, size) : bytes;
  }

  // libbacktrace can decompress an older form of the same data: "ZLIB", the size as a big-endian number, the data.
  const unsigned char* Inflate(unsigned char* bytes, size_t* size) {
    Elf64_Chdr header;
    constexpr size_t kOlder = 12;
    if (*size < sizeof header) return nullptr;
    memcpy(&header, bytes, sizeof header);
    if (header.ch_type != ELFCOMPRESS_ZLIB) return nullptr;
    unsigned char* older = bytes + sizeof header - kOlder;
    memcpy(older, "ZLIB", 4);
    for (size_t i = 0; i < 8; ++i) older[4 + i] = static_cast<unsigned char>(header.ch_size >> (56 - 8 * i));
    unsigned char* inflated = nullptr;
    size_t inflated_size = 0;
    if (backtrace_uncompress_zdebug(&of_library, older, *size - sizeof header + kOlder, Ignore, nullptr, &inflated, &inflated_size) == 0)
      return nullptr;
    blocks.Free(bytes);
    *size = inflated_size;
    return inflated;
  }

  fileline find = nullptr;
};

DebugLines::DebugLines(std::unique_ptr<Reader> reader) : reader_(std::move(reader)) {}
DebugLines::DebugLines(DebugLines&&) noexcept = default;
DebugLines& DebugLines::operator=(DebugLines&&) noexcept = default;
DebugLines::~DebugLines() = default;

bool DebugLines::exhausted() const { return reader_->blocks.exhausted(); }

Result<DebugLines> DebugLines::Read(const ElfFile& file, size_t max_bytes) {
  if (!file.FindSection(kSections[DEBUG_INFO])) return Status::Error(ErrorCode::kNotFound, "no debug information");
  if (max_bytes == 0) return Status::Error(ErrorCode::kExhausted, "lines were not asked for");
  auto reader = std::make_unique<Reader>(max_bytes);
  dwarf_sections sections = {};
  for (int i = 0; i < DEBUG_MAX; ++i) {
    const std::optional<ElfFile::Extent> extent = file.FindSection(kSections[i]);
    if (!extent) continue;
    sections.data[i] = reader->ReadSection(file, *extent, &sections.size[i]);
    if (reader->blocks.exhausted()) {
      return Status::Error(ErrorCode::kExhausted, "the debug information takes more than %zu bytes", max_bytes);
    }
    if (sections.data[i] == nullptr) return Status::Error(ErrorCode::kCorrupt, "%s can't be read", kSections[i]);
  }
  if (backtrace_dwarf_add(&reader->of_library, 0, &sections, 0, nullptr, Ignore, nullptr, &reader->find, nullptr) == 0) {
    if (reader->blocks.exhausted()) {
      return Status::Error(ErrorCode::kExhausted, "the debug information takes more than %zu bytes", max_bytes);
    }
    return Status::Error(ErrorCode::kCorrupt, "the debug information can't be understood");
  }
  return DebugLines(std::move(reader));
}

SourceCalls DebugLines::Find(uint64_t address) {
  SourceCalls calls;  // innermost first, for now
  reader_->find(&reader_->of_library, address, AddCall, Ignore, &calls);
  if (calls.size() > kMostInlined) calls.erase(calls.begin() + kMostInlined - 1, calls.end() - 1);  // the outermost stays
  std::reverse(calls.begin(), calls.end());
  return calls;
}

}  // namespace memprof

// libbacktrace's memory functions, in place of its own (cmake/build-third-party.sh leaves those out).
extern "C" {

void* backtrace_alloc(backtrace_state* state, size_t size, backtrace_error_callback, void*) {
  return memprof::BlocksOf(state).Allocate(size);
}

void backtrace_free(backtrace_state* state, void* memory, size_t, backtrace_error_callback, void*) {
  memprof::BlocksOf(state).Free(memory);
}

void* backtrace_vector_grow(backtrace_state* state, size_t size, backtrace_error_callback, void*, backtrace_vector* vector) {
  if (size > vector->alc) {
    memprof::Blocks& blocks = memprof::BlocksOf(state);
    const size_t room = vector->size + std::max({size, vector->size / 2, size_t{256}});
    void* moved = blocks.Allocate(room);
    if (moved == nullptr) return nullptr;
    if (vector->size > 0) memcpy(moved, vector->base, vector->size);
    blocks.Free(vector->base);
    vector->base = moved;
    vector->alc = room - vector->size;
  }
  void* added = static_cast<char*>(vector->base) + vector->size;
  vector->size += size;
  vector->alc -= size;
  return added;
}

int backtrace_vector_release(backtrace_state* state, backtrace_vector* vector, backtrace_error_callback, void*) {
  if (vector->size == 0) {
    memprof::BlocksOf(state).Free(vector->base);
    vector->base = nullptr;
  }
  vector->alc = 0;  // room that is left over stays with the block
  return 1;
}

void* backtrace_vector_finish(backtrace_state* state, backtrace_vector* vector, backtrace_error_callback error, void* data) {
  backtrace_vector_release(state, vector, error, data);
  void* finished = vector->base;
  *vector = {};
  return finished;
}
}
