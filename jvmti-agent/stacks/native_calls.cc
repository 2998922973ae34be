#include "stacks/native_calls.h"

#include <string_view>

#include "base/clock.h"
#include "base/hash.h"
#include "hooking/native_stack.h"
#include "stacks/sample_rate.h"

namespace memprof {
namespace {

constexpr size_t kMostLookedAt = 192;  // engines in Rust have a hundred

// A JVM has hundreds of threads, most of which sample rarely: these do without a cache of frames (decision 0538).
__attribute__((tls_model("initial-exec"))) thread_local constinit SampleRate rate{};

bool Is(const char* name, const ModuleTable::Identity& module) { return std::string_view(module.path, module.path_size).ends_with(name); }
bool IsJvm(const ModuleTable::Identity& module) { return Is("/libjvm.so", module); }
bool IsLibc(const ModuleTable::Identity* module) { return module != nullptr && Is("/libc.so.6", *module); }

}  // namespace

void CaptureNativeCalls(LoaderWatch* loader, bool (*marks)(uintptr_t address), NativeCalls* native) {
  uintptr_t addresses[kMostLookedAt];
  const bool without_cache = !rate.IsOften(MonotonicNs()) || loader->unloaded() != 0;
  const size_t count = CaptureNativeStack(addresses, kMostLookedAt, without_cache);
  const ModuleTable::Identity* own = loader->modules().Find(reinterpret_cast<uintptr_t>(&CaptureNativeCalls)).module;
  *native = {.calls = {}, .depth = 0, .hash = 0, .caller = NativeCaller::kUnknown, .by_marked = false};
  for (size_t i = 0; i < count; ++i) {
    const ModuleTable::Location place = loader->modules().Find(addresses[i]);
    if (place.module == nullptr || IsJvm(*place.module)) {
      native->caller = place.module == nullptr ? NativeCaller::kJava : NativeCaller::kJvm;  // Java's code belongs to no module
      return;
    }
    if (place.module == own && native->depth == 0) continue;
    native->by_marked |= marks(addresses[i]);
    if (native->depth == kMaxNativeCalls) continue;
    native->calls[native->depth++] = {place.module, place.offset};
    native->hash = HashPair(native->hash ^ place.offset, reinterpret_cast<uintptr_t>(place.module));
  }
  if (count > 0 && IsLibc(loader->modules().Find(addresses[count - 1]).module)) native->caller = NativeCaller::kThreadStart;
}

}  // namespace memprof
