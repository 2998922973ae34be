// What Python frames say beyond their names: which belong to the machinery around a UDF, and which UDF a stack is in.
// Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blackbox/box_reader.h"

namespace memprof {

// Where PySpark's and this profiler's own Python code lives, told by the frames of their entry points (worker.py and
// daemon.py run at the bottom of every stack; a program is begun by sitecustomize.py): a user's own folder called "pyspark" is
// not taken for it.
class PythonFramework {
 public:
  explicit PythonFramework(const std::vector<BoxFrame>& frames);
  bool Contains(const BoxFrame& frame) const;

 private:
  std::vector<std::string> roots_;  // with a trailing slash
};

// Index + 1 of the UDF that `frames` (outermost first) run in: the first frame that is one, else the session's only
// one, else 0.
uint32_t UdfOf(const std::vector<const BoxFrame*>& frames, const std::vector<BoxUdf>& udfs);

}  // namespace memprof
