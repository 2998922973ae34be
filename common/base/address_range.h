// A range of addresses of this process.
#pragma once

#include <cstdint>

namespace memprof {

struct AddressRange {
  uintptr_t begin = 0, end = 0;  // equal: empty

  static bool ByBegin(const AddressRange& a, const AddressRange& b) { return a.begin < b.begin; }  // for sorting
  bool Contains(uintptr_t address) const { return begin <= address && address < end; }
};

}  // namespace memprof
