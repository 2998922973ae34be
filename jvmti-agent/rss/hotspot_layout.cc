#include "rss/hotspot_layout.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstring>
#include <optional>

namespace memprof {
namespace {

template <typename Value>
Value At(uintptr_t address) {
  Value value;
  memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

// Numbers that libjvm exports by name.
class Exports {
 public:
  Exports() : library_(dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD)) {}
  ~Exports() {
    if (library_ != nullptr) dlclose(library_);
  }
  Exports(const Exports&) = delete;
  Exports& operator=(const Exports&) = delete;

  bool Read(const char* name, uint64_t* value) const {
    const void* symbol = library_ == nullptr ? nullptr : dlsym(library_, name);
    if (symbol != nullptr) memcpy(value, symbol, sizeof *value);
    return symbol != nullptr;
  }

 private:
  void* library_;
};

// One entry for each field of HotSpot's types that debuggers need. The table's own layout is exported beside it.
class FieldTable {
 public:
  FieldTable() {
    const Exports exports;
    complete_ = exports.Read("gHotSpotVMStructs", &entries_) && exports.Read("gHotSpotVMStructEntryArrayStride", &stride_) &&
                exports.Read("gHotSpotVMStructEntryTypeNameOffset", &type_) &&
                exports.Read("gHotSpotVMStructEntryFieldNameOffset", &field_) &&
                exports.Read("gHotSpotVMStructEntryOffsetOffset", &offset_) &&
                exports.Read("gHotSpotVMStructEntryAddressOffset", &address_) && stride_ != 0 && entries_ != 0;
  }

  // Of a field of objects.
  std::optional<uint64_t> Offset(const char* type, const char* field) const { return Number(type, field, offset_); }
  // What a static field holds.
  std::optional<uintptr_t> Static(const char* type, const char* field) const {
    const std::optional<uint64_t> address = Number(type, field, address_);
    if (!address || *address == 0) return std::nullopt;
    return At<uintptr_t>(*address);
  }

 private:
  std::optional<uint64_t> Number(const char* type, const char* field, uint64_t where) const {
    for (uintptr_t entry = entries_; complete_; entry += stride_) {
      const auto* type_name = At<const char*>(entry + type_);
      const auto* field_name = At<const char*>(entry + field_);
      if (type_name == nullptr) break;  // the table's end
      if (field_name != nullptr && strcmp(type_name, type) == 0 && strcmp(field_name, field) == 0) return At<uint64_t>(entry + where);
    }
    return std::nullopt;
  }

  bool complete_ = false;
  uint64_t entries_ = 0, stride_ = 0, type_ = 0, field_ = 0, offset_ = 0, address_ = 0;
};

// Of a type's objects, in bytes; absent: not exported.
std::optional<uint64_t> SizeOf(const char* type) {
  const Exports exports;
  uint64_t entry = 0, stride = 0, name = 0, size = 0;
  if (!exports.Read("gHotSpotVMTypes", &entry) || !exports.Read("gHotSpotVMTypeEntryArrayStride", &stride) ||
      !exports.Read("gHotSpotVMTypeEntryTypeNameOffset", &name) || !exports.Read("gHotSpotVMTypeEntrySizeOffset", &size) || stride == 0) {
    return std::nullopt;
  }
  for (; entry != 0; entry += stride) {
    const auto* type_name = At<const char*>(entry + name);
    if (type_name == nullptr) break;  // the table's end
    if (strcmp(type_name, type) == 0) return At<uint64_t>(entry + size);
  }
  return std::nullopt;
}

AddressRange HeapOf(const FieldTable& fields) {
  const auto heap = fields.Static("Universe", "_collectedHeap");
  const auto reserved = fields.Offset("CollectedHeap", "_reserved");
  const auto start = fields.Offset("MemRegion", "_start"), words = fields.Offset("MemRegion", "_word_size");
  if (!heap || *heap == 0 || !reserved || !start || !words) return {};
  const auto begin = At<uintptr_t>(*heap + *reserved + *start);
  const auto size = At<size_t>(*heap + *reserved + *words) * sizeof(void*);
  return begin == 0 ? AddressRange() : AddressRange{begin, begin + size};
}

// Where a flag's value is; absent: there is no such flag, or the table isn't exported.
std::optional<uintptr_t> FlagAddress(std::string_view name) {
  const FieldTable fields;
  const auto flags = fields.Static("JVMFlag", "flags"), count = fields.Static("JVMFlag", "numFlags");
  const auto name_at = fields.Offset("JVMFlag", "_name"), value_at = fields.Offset("JVMFlag", "_addr");
  const std::optional<uint64_t> size = SizeOf("JVMFlag");
  if (!flags || !count || !name_at || !value_at || size.value_or(0) == 0) return std::nullopt;
  for (uintptr_t i = 0; i < *count; ++i) {
    const uintptr_t flag = *flags + i * *size;
    const auto* flag_name = At<const char*>(flag + *name_at);
    if (flag_name == nullptr || name != flag_name) continue;
    const auto value = At<uintptr_t>(flag + *value_at);
    return value == 0 ? std::nullopt : std::optional(value);
  }
  return std::nullopt;
}

}  // namespace

HotSpotLayout ReadHotSpotLayout() {
  const FieldTable fields;
  HotSpotLayout layout;
  layout.heap = HeapOf(fields);
  const auto low = fields.Static("CodeCache", "_low_bound"), high = fields.Static("CodeCache", "_high_bound");
  if (low && high && *low < *high) layout.code_cache = {*low, *high};
  layout.thread_state = fields.Offset("JavaThread", "_thread_state");
  return layout;
}

std::optional<bool> ReadHotSpotSwitch(std::string_view name) {
  const std::optional<uintptr_t> value = FlagAddress(name);
  return value ? std::optional(At<uint8_t>(*value) != 0) : std::nullopt;
}

std::optional<std::string> ReadHotSpotText(std::string_view name) {
  const std::optional<uintptr_t> value = FlagAddress(name);
  const char* text = value ? At<const char*>(*value) : nullptr;
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace memprof
