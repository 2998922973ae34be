#include "frames/interpreter.h"

#include <Python.h>
#include <dlfcn.h>
#include <link.h>

#include "hooking/loaded_module.h"

namespace memprof {

Result<Interpreter> FindInterpreter() {
  Interpreter found;
  const uintptr_t loop = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault"));
  if (loop == 0) return Status::Error(ErrorCode::kUnsupported, "this interpreter doesn't export _PyEval_EvalFrameDefault");
  Dl_info info;
  ElfW(Sym)* symbol = nullptr;
  if (dladdr1(reinterpret_cast<void*>(loop), &info, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) == 0 || symbol == nullptr) {
    return Status::Error(ErrorCode::kUnsupported, "the size of _PyEval_EvalFrameDefault is unknown");
  }
  found.loop = {loop, loop + symbol->st_size};
  const uintptr_t own = reinterpret_cast<uintptr_t>(&FindInterpreter);
  VisitLoadedModules([&](const LoadedModule& module) {
    if (module.Contains(loop)) found.module = {module.begin, module.end};
    if (module.Contains(own)) found.own = {module.begin, module.end};
  });
  return found;
}

}  // namespace memprof
