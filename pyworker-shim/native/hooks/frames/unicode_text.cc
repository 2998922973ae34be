#include "frames/unicode_text.h"

#include "base/hash.h"

namespace memprof {
namespace {

bool IsReadable(PyObject* text) {
  if (text == nullptr || !PyUnicode_Check(text)) return false;
#if PY_VERSION_HEX < 0x030C0000
  return PyUnicode_IS_READY(text);
#else
  return true;
#endif
}

// Writes one character, if it fits; returns its bytes.
size_t Encode(uint32_t c, char* out, size_t space) {
  if (c >= 0xd800 && c < 0xe000) c = 0xfffd;
  const size_t bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  if (bytes > space) return 0;
  if (bytes == 1) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  constexpr uint8_t kFirstByte[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = bytes - 1; i > 0; --i, c >>= 6) out[i] = static_cast<char>(0x80 | (c & 0x3f));
  out[0] = static_cast<char>(kFirstByte[bytes] | c);
  return bytes;
}

}  // namespace

StringRef TextOf(PyObject* text, char* buffer, size_t size) {
  if (!IsReadable(text)) return {};
  const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
  if (PyUnicode_IS_COMPACT_ASCII(text)) return {static_cast<const char*>(PyUnicode_DATA(text)), static_cast<uint32_t>(length)};
  const int kind = PyUnicode_KIND(text);
  const void* data = PyUnicode_DATA(text);
  size_t used = 0;
  for (Py_ssize_t i = 0; i < length; ++i) {
    const size_t bytes = Encode(PyUnicode_READ(kind, data, i), buffer + used, size - used);
    if (bytes == 0) break;
    used += bytes;
  }
  return {buffer, static_cast<uint32_t>(used)};
}

uint64_t HashOf(PyObject* text) {
  if (!IsReadable(text)) return 0;
  const Py_hash_t cached = reinterpret_cast<PyASCIIObject*>(text)->hash;  // names nearly always have a cached hash
  if (cached != -1) return static_cast<uint64_t>(cached);
  return HashBytes(PyUnicode_DATA(text), static_cast<size_t>(PyUnicode_GET_LENGTH(text)) * PyUnicode_KIND(text), PyUnicode_KIND(text));
}

}  // namespace memprof
