// Fields of code objects that CPython has renamed.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstring>

namespace memprof {

// From 3.12 on a code object has a number that is never given twice.
inline constexpr bool kCodesHaveVersions = PY_VERSION_HEX >= 0x030C0000;

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

// The length and the last eight bytes of a string.
inline uint64_t EndOf(PyObject* text) {
#if PY_VERSION_HEX < 0x030C0000
  if (text == nullptr || !PyUnicode_Check(text) || !PyUnicode_IS_READY(text)) return 0;
#else
  if (text == nullptr || !PyUnicode_Check(text)) return 0;
#endif
  const size_t size = static_cast<size_t>(PyUnicode_GET_LENGTH(text)) * PyUnicode_KIND(text);
  uint64_t word = 0;
  const size_t taken = size < sizeof word ? size : sizeof word;
  memcpy(&word, static_cast<const char*>(PyUnicode_DATA(text)) + size - taken, taken);
  return word ^ static_cast<uint64_t>(size) << 56;
}

// Distinguishes code objects for a memo by reading a few words. The address alone is not enough: another function may get it when
// the first one is freed.
inline uint64_t CodeWord(PyCodeObject* code) {
  constexpr uint64_t kFirst = 0x9e3779b97f4a7c15u, kSecond = 0xbf58476d1ce4e5b9u, kThird = 0x94d049bb133111ebu;
  const auto word = [](const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); };
#if PY_VERSION_HEX >= 0x030C0000
  const uint64_t lifetime = code->co_version;
#else
  // A later code object counts as the same function if its name and file are at the same addresses, its file's name has the same
  // end, and its line table has the same length, beginning and end. This happens when functions are unpickled again and again, or with
  // notebook cells. All functions of a file share its name, so the name is mostly in the cache.
  uint64_t lifetime = EndOf(code->co_filename) * kThird;
  PyObject* lines = LineTableOf(code);
  if (lines != nullptr && PyBytes_GET_SIZE(lines) >= static_cast<Py_ssize_t>(sizeof lifetime)) {
    const char* text = PyBytes_AS_STRING(lines);
    const size_t size = static_cast<size_t>(PyBytes_GET_SIZE(lines));
    uint64_t beginning, end;
    memcpy(&beginning, text, sizeof beginning);
    memcpy(&end, text + size - sizeof end, sizeof end);
    lifetime += beginning + end * kSecond + size * kFirst;
  }
#endif
  return word(code) * kFirst + (word(NameOf(code)) ^ lifetime) * kSecond +
         (word(code->co_filename) ^ static_cast<uint64_t>(code->co_firstlineno) << 48) * kThird;
}

}  // namespace memprof
