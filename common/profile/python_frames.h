// What Python frames mean: which ones belong to the framework around a UDF, and which UDF a stack is in. Pure functions,
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blackbox/box_reader.h"

namespace memprof {

// The folders of PySpark's and this profiler's own Python code. They are found by the frames of their entry points: worker.py and
// daemon.py are at the bottom of every stack, and sitecustomize.py starts a program. So a user's own folder called "pyspark" is
// not mistaken for PySpark.
class PythonFramework {
 public:
  explicit PythonFramework(const std::vector<BoxFrame>& frames);
  bool Contains(const BoxFrame& frame) const;

 private:
  std::vector<std::string> roots_;  // with a trailing slash
};

struct UdfOfStack {
  uint32_t index_plus_1 = 0;       // 0: none
  bool is_one_of_several = false;  // others are as likely: they have the same place, and share their code
  bool operator==(const UdfOfStack&) const = default;
};

// The UDF that `frames` (outermost first) run in: the first frame that is a UDF, else the session's only UDF (or, of several
// methods of one object, the first), else none. Of a chain of RDD functions (kind RDD; `udfs` in the order in which they are applied) it
// is the innermost one that the chain has called. What the framework does by itself, such as its imports and the conversion of batches, is
// no UDF's: stacks of its code, the standard library's, and of packages that it uses. Stacks without any frame of its are the only UDF's,
// since they may have been cut. `others_are_dropped`: the session has UDFs that are not in `udfs`, and whose frames may be at the place of
// one that is.
UdfOfStack UdfOf(const std::vector<const BoxFrame*>& frames, const std::vector<BoxUdf>& udfs, const PythonFramework& framework,
                 bool others_are_dropped = false);

// The UDF with the names of those of `udfs` that have its place, the first two and an ellipsis: functions that share one code object, so
// that nobody can tell apart what they allocate.
BoxUdf WithNamesOfItsPlace(const BoxUdf& udf, const std::vector<BoxUdf>& udfs);

}  // namespace memprof
