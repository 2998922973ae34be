#include "malloc/spared_modules.h"

#include <array>
#include <atomic>
#include <string_view>

#include "hooking/dynamic_tables.h"

namespace memprof {
namespace {

struct CodeRange {
  std::atomic<uintptr_t> begin{0}, end{0};
};
std::array<CodeRange, 16> holders;  // never taken out: at worst a stack has no Java frames
std::atomic<bool> too_many{false};  // then no stack has

void Remember(const LoadedModule& module) {
  for (CodeRange& range : holders) {
    const uintptr_t begin = range.begin.load(std::memory_order_relaxed);
    if (begin != 0 && begin != module.begin) continue;
    range.end.store(module.end, std::memory_order_relaxed);
    range.begin.store(module.begin, std::memory_order_release);
    return;
  }
  too_many = true;
}

bool IsAgent(const LoadedModule& module) {
  const DynamicTables tables(module);
  return tables.FunctionAddress("Agent_OnLoad") != 0 || tables.FunctionAddress("Agent_OnAttach") != 0;
}

}  // namespace

bool IsSpared(const LoadedModule& module) {
  if (module.is_loader_or_vdso || IsAgent(module)) {
    Remember(module);
    return true;
  }
  const std::string_view path = module.path;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto is = [name](const char* spared) { return name == spared; };
  return name.starts_with("libjvmcicompiler") || is("libjvm.so") || is("libc.so.6") || is("libjava.so") || is("libjimage.so");
}

bool MayHoldALock(uintptr_t address) {
  if (too_many.load(std::memory_order_relaxed)) return true;
  for (const CodeRange& range : holders) {
    const uintptr_t begin = range.begin.load(std::memory_order_acquire);
    if (begin == 0) return false;
    if (address >= begin && address < range.end.load(std::memory_order_relaxed)) return true;
  }
  return false;
}

}  // namespace memprof
