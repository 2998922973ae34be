#include "sites/intern_tables.h"

#include <atomic>
#include <cstring>

namespace memprof {
namespace {

constexpr uint32_t kFirstString = 8;     // reference 0 is the empty string
constexpr uint32_t kTypicalString = 32;  // bytes; bounds the number of strings

uint32_t AlignUp4(uint32_t value) { return (value + 3) & ~3u; }

// At most kMaxStringBytes, not cut in the middle of a UTF-8 character.
uint32_t KeptBytes(StringRef text) {
  if (text.size <= box::kMaxStringBytes) return text.size;
  uint32_t size = box::kMaxStringBytes;
  while (size > 0 && (static_cast<unsigned char>(text.data[size]) & 0xc0) == 0x80) --size;
  return size;
}

uint64_t HashOf(const box::Frame& frame) { return HashBytes(&frame, offsetof(box::Frame, check), 1); }

bool Same(const box::Frame& a, const box::Frame& b) {
  return a.offset == b.offset && a.function == b.function && a.file == b.file && a.line == b.line && a.first_line == b.first_line &&
         a.language == b.language;
}

}  // namespace

void InternTables::Measure(const box::Plan& plan, Arena& arena) {
  arena.Take<uint32_t>(HashIndex::SlotsFor(plan.string_bytes / kTypicalString));
  arena.Take<uint32_t>(HashIndex::SlotsFor(plan.frames));
  arena.Take<uint32_t>(HashIndex::SlotsFor(plan.nodes));
  arena.Take<uint32_t>(HashIndex::SlotsFor(plan.modules));
}

void InternTables::Attach(const box::BoxFile& file, Arena& arena) {
  file_ = &file;
  frames_ = file.table<box::Frame>(box::kFrameTable);
  nodes_ = file.table<box::Node>(box::kNodeTable);
  modules_ = file.table<box::Module>(box::kModuleTable);
  strings_ = file.table<char>(box::kStringTable);
  frame_room_ = file.capacity(box::kFrameTable);
  node_room_ = file.capacity(box::kNodeTable);
  module_room_ = file.capacity(box::kModuleTable);
  string_room_ = file.capacity(box::kStringTable);
  string_count_room_ = string_room_ / kTypicalString;
  string_bytes_ = kFirstString;
  epoch_ = file.header().committed.intern_epoch;
  auto index = [&arena](uint32_t records) {
    uint32_t slots = HashIndex::SlotsFor(records);
    return HashIndex(arena.Take<uint32_t>(slots), slots);
  };
  string_index_ = index(string_count_room_);
  frame_index_ = index(frame_room_);
  node_index_ = index(node_room_);
  module_index_ = index(module_room_);
}

void InternTables::Publish(uint32_t box::Committed::*field, uint32_t value) {
  std::atomic_ref<uint32_t>(file_->header().committed.*field).store(value, std::memory_order_release);
}

const char* InternTables::StringAt(uint32_t reference, uint32_t* size) const {
  box::StringHead head;
  memcpy(&head, strings_ + reference, sizeof head);
  *size = head.size;
  return strings_ + reference + sizeof head;
}

uint32_t InternTables::String(StringRef text, bool* has_room) {
  uint32_t size = KeptBytes(text);
  if (size == 0) return 0;
  uint64_t hash = HashBytes(text.data, size, 0);
  uint32_t found = string_index_.Find(hash, [&](uint32_t reference) {
    uint32_t other_size;
    const char* other = StringAt(reference, &other_size);
    return other_size == size && memcmp(other, text.data, size) == 0;
  });
  if (found != 0) return found;
  uint32_t needed = static_cast<uint32_t>(sizeof(box::StringHead)) + AlignUp4(size);
  if (string_count_ >= string_count_room_ || needed > string_room_ - string_bytes_) {
    *has_room = false;
    return 0;
  }
  uint32_t reference = string_bytes_;
  char* at = strings_ + reference;
  memcpy(at + sizeof(box::StringHead), text.data, size);
  box::StringHead head = {size, box::CheckOfString(at + sizeof head, size, reference)};
  memcpy(at, &head, sizeof head);
  string_bytes_ += needed;
  ++string_count_;
  Publish(&box::Committed::string_bytes, string_bytes_);
  string_index_.Insert(hash, reference);
  return reference;
}

uint32_t InternTables::Frame(box::Frame frame) {
  uint64_t hash = HashOf(frame);
  uint32_t found = frame_index_.Find(hash, [&](uint32_t reference) { return Same(frames_[reference - 1], frame); });
  if (found != 0) return found;
  if (frame_count_ >= frame_room_) return 0;
  uint32_t reference = frame_count_ + 1;
  frame.check = box::CheckOf(frame, reference);
  frames_[frame_count_++] = frame;
  Publish(&box::Committed::frames, frame_count_);
  frame_index_.Insert(hash, reference);
  return reference;
}

uint32_t InternTables::PythonFrame(StringRef function, StringRef file, uint32_t line, uint32_t first_line) {
  bool has_room = true;
  box::Frame frame = {};
  frame.function = String(function, &has_room);
  frame.file = String(file, &has_room);
  frame.line = line;
  frame.first_line = first_line;
  frame.language = static_cast<uint32_t>(Language::kPython);
  return has_room ? Frame(frame) : 0;
}

uint32_t InternTables::NativeFrame(uint32_t module, uint64_t offset) {
  box::Frame frame = {};
  frame.offset = offset;
  frame.file = module <= module_count_ ? module : 0;
  frame.language = static_cast<uint32_t>(Language::kNative);
  return Frame(frame);
}

uint32_t InternTables::Module(StringRef path, StringRef build_id_hex) {
  bool has_room = true;
  box::Module module = {String(path, &has_room), String(build_id_hex, &has_room), 0};
  if (!has_room) return 0;
  uint64_t hash = HashPair(module.path, module.build_id);
  uint32_t found = module_index_.Find(hash, [&](uint32_t reference) {
    return modules_[reference - 1].path == module.path && modules_[reference - 1].build_id == module.build_id;
  });
  if (found != 0) return found;
  if (module_count_ >= module_room_) return 0;
  uint32_t reference = module_count_ + 1;
  module.check = box::CheckOf(module, reference);
  modules_[module_count_++] = module;
  Publish(&box::Committed::modules, module_count_);
  module_index_.Insert(hash, reference);
  return reference;
}

uint32_t InternTables::Child(uint32_t parent, uint32_t frame, uint32_t room) {
  uint64_t hash = HashPair(parent, frame);
  uint32_t found = node_index_.Find(
      hash, [&](uint32_t reference) { return nodes_[reference - 1].parent == parent && nodes_[reference - 1].frame == frame; });
  if (found != 0) return found;
  if (node_count_ >= room) return 0;
  uint32_t reference = node_count_ + 1;
  box::Node node = {parent, frame, 0};
  node.check = box::CheckOf(node, reference);
  nodes_[node_count_++] = node;
  Publish(&box::Committed::nodes, node_count_);
  node_index_.Insert(hash, reference);
  return reference;
}

uint32_t InternTables::Stack(const uint32_t* frames, uint32_t depth, bool large) {
  const uint32_t room = large ? node_room_ : node_room_ - node_room_ / 10;
  uint32_t node = 0;
  for (uint32_t i = 0; i < depth; ++i) {
    if (frames[i] == 0 || frames[i] > frame_count_) continue;
    node = Child(node, frames[i], room);
    if (node == 0) return 0;
  }
  return node;
}

bool InternTables::NearlyFull() const {
  auto over = [](uint64_t used, uint64_t room) { return used * 4 > room * 3; };
  return over(string_bytes_, string_room_) || over(string_count_, string_count_room_) || over(frame_count_, frame_room_) ||
         over(node_count_, node_room_) || over(module_count_, module_room_);
}

void InternTables::Reset() {
  // The epoch first: a reader that finds it unchanged around its reading has seen one epoch only.
  Publish(&box::Committed::intern_epoch, ++epoch_);
  frame_count_ = node_count_ = module_count_ = string_count_ = 0;
  string_bytes_ = kFirstString;
  Publish(&box::Committed::nodes, 0);
  Publish(&box::Committed::frames, 0);
  Publish(&box::Committed::modules, 0);
  Publish(&box::Committed::string_bytes, string_bytes_);
  string_index_.Clear();
  frame_index_.Clear();
  node_index_.Clear();
  module_index_.Clear();
}

}  // namespace memprof
