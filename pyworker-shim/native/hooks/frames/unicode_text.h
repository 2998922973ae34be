// Text of a str object as UTF-8, without allocating: what PyUnicode_AsUTF8 would cache in the object on first use.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

#include "sites/recorder.h"

namespace memprof {

// HOOK. For ASCII strings it refers to the object's own text; others are encoded into `buffer` and cut between two characters.
// Surrogates (undecodable file names) become U+FFFD. Not a str, or null: empty. Valid as long as both arguments are.
StringRef TextOf(PyObject* text, char* buffer, size_t size);

// HOOK. A hash of its contents: equal texts have equal hashes, within this process.
uint64_t HashOf(PyObject* text);

}  // namespace memprof
