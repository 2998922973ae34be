// The name of a Python file in a profile: the same line has the same name on every executor, and a name that its author knows.
// Pure function, thread-safe.
//
//   in the executor's working directory, or "./helpers.py"      helpers.py
//   in the folder where Spark puts what addPyFile ships         helpers.zip/helpers/mod.py
//   in the folder where YARN puts what is shipped               helpers.zip/helpers/mod.py
//   a cell of a notebook, however its kernel names it           notebook cell 12
//   <stdin>, <string>, /opt/jobs/job.py                         as they are
#pragma once

#include <string>
#include <string_view>

namespace memprof {

std::string SourceName(std::string_view file, std::string_view working_directory);

}  // namespace memprof
