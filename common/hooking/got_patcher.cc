#include "hooking/got_patcher.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace memprof {
namespace {

// An address in this module.
uintptr_t OwnAddress() { return reinterpret_cast<uintptr_t>(&OwnAddress); }

// Why the word's page may not be written: EFAULT, or what else keeps the kernel from saying so; 0: it may. Adds 0 to it, atomically, in
// the kernel: no fault, no change.
int RefusalToWrite(const uintptr_t* word) {
  uint32_t unused = 0;
  const long woken = syscall(SYS_futex, &unused, FUTEX_WAKE_OP_PRIVATE, 0, 0, word, FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0));
  return woken >= 0 ? 0 : errno;
}

// What became of a pointer.
enum class Outcome : uint8_t {
  kWritten,
  kTooEarly,  // the module isn't fully relocated, or its pages can't be opened
  kLeft,      // it lies among code or constants (DT_TEXTREL), or somebody has sealed it
};

// Writes pointers of one module; opens its RELRO pages on first need and closes them at the end.
class PointerWriter {
 public:
  explicit PointerWriter(const LoadedModule& module) : module_(module) {}
  ~PointerWriter() {
    if (relro_ == Relro::kOpened) mprotect(Begin(), Size(), PROT_READ);
  }
  PointerWriter(const PointerWriter&) = delete;
  PointerWriter& operator=(const PointerWriter&) = delete;

  // Unless it is written, the slot is as it was.
  Outcome Write(uintptr_t* slot, uintptr_t value) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(slot);
    if (address >= module_.relro_begin && address < module_.relro_end) {
      if (!OpenRelro(slot)) return Outcome::kTooEarly;
    } else if (!module_.IsData(address) || RefusalToWrite(slot) == EFAULT) {
      return Outcome::kLeft;
    }
    std::atomic_ref<uintptr_t>(*slot).store(value, std::memory_order_release);
    return Outcome::kWritten;
  }

 private:
  enum class Relro { kUnknown, kOpened, kNotReady };

  bool OpenRelro(const uintptr_t* slot) {
    if (relro_ == Relro::kUnknown) {
      const bool sealed = RefusalToWrite(slot) != 0;
      relro_ = sealed && mprotect(Begin(), Size(), PROT_READ | PROT_WRITE) == 0 ? Relro::kOpened : Relro::kNotReady;
    }
    return relro_ == Relro::kOpened;
  }

  void* Begin() const { return reinterpret_cast<void*>(module_.relro_begin); }
  size_t Size() const { return module_.relro_end - module_.relro_begin; }

  const LoadedModule& module_;
  Relro relro_ = Relro::kUnknown;
};

// In an instrumented module a relocation may lie between its variables; a sanitizer would report an overrun.
__attribute__((no_sanitize("address"))) uintptr_t Read(const uintptr_t* slot) { return __atomic_load_n(slot, __ATOMIC_ACQUIRE); }

}  // namespace

Status GotPatcher::Init(const GotHook* hooks, size_t count) {
  if (count > kMaxGotHooks) return Status::Error(ErrorCode::kInvalidArgument, "%zu functions to hook: at most %zu", count, kMaxGotHooks);
  hooks_ = hooks;
  count_ = count;
  for (size_t i = 0; i < count_; ++i) addresses_[i] = {0, reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, hooks_[i].symbol))};
  VisitLoadedModules([this](const LoadedModule& module) {
    if (module.is_loader_or_vdso || module.Contains(OwnAddress())) return;
    const DynamicTables tables(module);
    for (size_t i = 0; i < count_; ++i) {
      if (addresses_[i].definition == 0) addresses_[i].definition = tables.FunctionAddress(hooks_[i].symbol);
    }
  });
  lowest_ = UINTPTR_MAX;
  highest_ = 0;
  for (size_t i = 0; i < count_; ++i) {
    if (addresses_[i].definition == 0 || addresses_[i].by_name == 0) {
      addresses_[i] = {};
      if (hooks_[i].may_be_missing) continue;
      return Status::Error(ErrorCode::kNotFound, "no loaded library defines %s", hooks_[i].symbol);
    }
    // When hooks are put in place again, copies of pointers to them may be called meanwhile: they read this.
    void* const original = reinterpret_cast<void*>(addresses_[i].definition);
    if (*hooks_[i].original != original) *hooks_[i].original = original;
    lowest_ = std::min({lowest_, addresses_[i].definition, addresses_[i].by_name});
    highest_ = std::max({highest_, addresses_[i].definition, addresses_[i].by_name});
  }
  return {};
}

size_t GotPatcher::HookOfAddress(uintptr_t address) const {
  if (address < lowest_ || address > highest_) return kNone;
  for (size_t i = 0; i < count_; ++i) {
    if (addresses_[i].definition == address || addresses_[i].by_name == address) return i;
  }
  return kNone;
}

size_t GotPatcher::HookOfName(const char* symbol) const {
  for (size_t i = 0; i < count_; ++i) {
    if (addresses_[i].definition != 0 && strcmp(hooks_[i].symbol, symbol) == 0) return i;
  }
  return kNone;
}

// A PLT entry of the main program's has a pointer that is patched.
void* GotPatcher::ReplacementOf(const void* found) const {
  const auto address = reinterpret_cast<uintptr_t>(found);
  const size_t hook = address == 0 ? kNone : HookOfAddress(address);
  return hook == kNone || addresses_[hook].definition != address ? nullptr : hooks_[hook].replacement;
}

size_t GotPatcher::HookOfReplacement(uintptr_t address) const {
  for (size_t i = 0; i < count_; ++i) {
    if (reinterpret_cast<uintptr_t>(hooks_[i].replacement) == address) return i;
  }
  return kNone;
}

void GotPatcher::Patch(const LoadedModule& module) {
  if (module.is_loader_or_vdso || module.Contains(OwnAddress())) return;
  const DynamicTables tables(module);
  PointerWriter writer(module);
  tables.ForEachPointer([&](uintptr_t* slot, bool is_jump_slot, uint32_t symbol) {
    const uintptr_t value = Read(slot);
    size_t hook = HookOfAddress(value);
    if (hook == kNone) {
      const bool unbound = is_jump_slot && module.Contains(value);
      const bool unrelocated = value < module.begin && value < module.end - module.begin;
      if (!unbound && !unrelocated) return;
      hook = HookOfName(tables.SymbolName(symbol));
      if (hook == kNone) return;
      if (unrelocated) {
        incomplete_ = true;
        return;
      }
      // If the module defines the function itself, the slot will be bound to that definition, unless that is the original.
      const uintptr_t own = tables.FunctionAddress(hooks_[hook].symbol);
      if (own != 0 && own != addresses_[hook].definition) return;
    }
    switch (writer.Write(slot, reinterpret_cast<uintptr_t>(hooks_[hook].replacement))) {
      case Outcome::kWritten:
        ++patched_;
        break;
      case Outcome::kTooEarly:
        incomplete_ = true;
        break;
      case Outcome::kLeft:
        break;
    }
  });
}

void GotPatcher::Restore(const LoadedModule& module) {
  if (module.is_loader_or_vdso || module.Contains(OwnAddress())) return;
  const DynamicTables tables(module);
  PointerWriter writer(module);
  tables.ForEachPointer([&](uintptr_t* slot, bool is_jump_slot, uint32_t) {
    const size_t hook = HookOfReplacement(Read(slot));
    if (hook == kNone) return;
    const Addresses& addresses = addresses_[hook];
    if (writer.Write(slot, is_jump_slot ? addresses.definition : addresses.by_name) == Outcome::kWritten) --patched_;
  });
}

}  // namespace memprof
