// Fields of code objects that CPython has renamed.
#pragma once

#include <Python.h>

namespace memprof {

// The function's dotted name from 3.11 on, before that its bare one.
inline PyObject* NameOf(PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030B0000
  return code->co_qualname;
#else
  return code->co_name;
#endif
}

// bytes that map instructions to lines.
inline PyObject* LineTableOf(PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030A0000
  return code->co_linetable;
#else
  return code->co_lnotab;
#endif
}

}  // namespace memprof
