// The address ranges of this interpreter's code: libpython's, or those of a program with CPython linked in (Debian's python3).
#pragma once

#include <cstdint>

#include "base/status.h"

namespace memprof {

struct CodeRange {
  uintptr_t begin = 0, end = 0;
  bool Contains(uintptr_t address) const { return address >= begin && address < end; }
  // The address of a call, calculated from its return address.
  bool ContainsCallBefore(uintptr_t return_address) const { return return_address - 1 >= begin && return_address - 1 < end; }
};

struct Interpreter {
  CodeRange module;  // the module that holds the interpreter
  CodeRange loop;    // _PyEval_EvalFrameDefault; parts that a compiler has moved elsewhere (.cold) aren't in it
  CodeRange own;     // this extension module
};

// Not HOOK.
Result<Interpreter> FindInterpreter();

}  // namespace memprof
