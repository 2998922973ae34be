#include "frames/frame_names.h"

#include "base/hash.h"
#include "frames/code_fields.h"
#include "frames/unicode_text.h"

namespace memprof {
namespace {

constexpr size_t kHashedTableEnd = 256;

uint64_t HashOfLineTable(PyObject* table) {
  if (table == nullptr || !PyBytes_Check(table)) return 0;
  const char* bytes = PyBytes_AS_STRING(table);
  const size_t size = static_cast<size_t>(PyBytes_GET_SIZE(table));
  if (size <= 2 * kHashedTableEnd) return HashBytes(bytes, size, 0);
  return HashPair(HashBytes(bytes, kHashedTableEnd, size), HashBytes(bytes + size - kHashedTableEnd, kHashedTableEnd, size));
}

uint64_t KeyOf(const PythonFrame& frame) {
  uint64_t key = HashPair(HashOf(NameOf(frame.code)), HashOf(frame.code->co_filename));
  key = HashPair(key, HashOfLineTable(LineTableOf(frame.code)));
  return HashPair(key, uint64_t{static_cast<uint32_t>(frame.code->co_firstlineno)} << 32 | static_cast<uint32_t>(frame.instruction));
}

__attribute__((noinline)) FrameId InternPython(Recorder& recorder, const RenamedCodes& renamed, const PythonFrame& frame,
                                               TextScratch& texts) {
  static_assert(sizeof texts.name >= RenamedCodes::kNameBytes);
  StringRef name = renamed.NameOf(frame.code, texts.name);
  if (name.size == 0) name = TextOf(NameOf(frame.code), texts.name, sizeof texts.name);
  const int line = PyCode_Addr2Line(frame.code, frame.instruction);
  const int first_line = frame.code->co_firstlineno;
  return recorder.InternPythonFrame(name, TextOf(frame.code->co_filename, texts.file, sizeof texts.file),
                                    static_cast<uint32_t>(line > 0 ? line : first_line), static_cast<uint32_t>(first_line));
}

}  // namespace

FrameId FrameNames::OfPython(Recorder& recorder, const RenamedCodes& renamed, const PythonFrame& frame, TextScratch& texts) {
  const uint32_t generation = renamed.generation();
  const uint64_t key = HashPair(KeyOf(frame) ^ renamed.WordOf(frame.code), recorder.intern_epoch());
  FrameId found = known_.Find(key);
  if (found == kNoFrame) {
    found = InternPython(recorder, renamed, frame, texts);
    if (renamed.IsStill(generation)) known_.Remember(key, found);
  }
  return found;
}

FrameId FrameNames::OfNative(Recorder& recorder, LoaderWatch& loader, uintptr_t return_address) {
  const uint64_t key = HashPair(return_address, loader.unloaded() << 32 | recorder.intern_epoch());
  FrameId found = known_.Find(key);
  if (found == kNoFrame) {
    const bool is_instruction = return_address == interrupted_at_;
    const ModuleTable::Location location = loader.modules().Find(is_instruction ? return_address : return_address - 1);
    if (location.module == nullptr) return kNoFrame;
    uint32_t module = location.module->tag.load(std::memory_order_relaxed);
    if (!recorder.IsCurrent(module)) {
      module = recorder.InternModule({location.module->path, location.module->path_size},
                                     {location.module->build_id, location.module->build_id_size});
      location.module->tag.store(module, std::memory_order_relaxed);
    }
    // Symbolize() looks up the byte before a return address.
    found = recorder.InternNativeFrame(module, is_instruction ? location.offset + 1 : location.offset);
    known_.Remember(key, found);
  }
  return found;
}

}  // namespace memprof
