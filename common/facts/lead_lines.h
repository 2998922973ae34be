// LeadLines: the Python line that a stack is charged to: the user's innermost one. Memory that numpy allocates for `x =
// np.ones(n)` belongs to that line of the job; the frames below show the calls. Code of installed packages, of the standard
// library and of PySpark is not the user's, nor is generated code ("<string>") if a user frame is outside it. A stack without a user frame
// (deserialising a batch, importing a package) is charged to the outermost line that says where it came from.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/interner.h"

namespace memprof {

// Index + 1 of the frame (Interner::FrameAt) of the user's own line that a stack is charged to; 0 = it has none.
uint32_t LeadFrameOf(StackId stack, const Interner& interner);

class LeadLines {
 public:
  explicit LeadLines(const Interner& interner);

  // Index + 1 of the frame (Interner::FrameAt); 0 = the stack has no Python frame.
  uint32_t FrameOf(StackId stack) const { return stack == 0 ? 0 : lead_[stack - 1]; }
  // The line is the user's own.
  bool IsUsers(StackId stack) const { return stack != 0 && users_[stack - 1]; }

 private:
  std::vector<uint32_t> lead_;  // by stack - 1
  std::vector<bool> users_;
};

}  // namespace memprof
