// Which Python code was installed and isn't the user's own, judged by its file. Pure function.
#pragma once

#include <string_view>

namespace memprof {

// Whether a path inside a folder pyspark/ is of PySpark: what 3.5 and 4 have there, and older ones had. A user's own folder may have that
// name.
inline bool IsOfPysparkPackage(std::string_view inside) {
  constexpr std::string_view kParts =
      " __init__.py _globals.py accumulators.py broadcast.py cloudpickle cloudpickle.py conf.py context.py core daemon.py "
      "errors files.py find_spark_home.py install.py instrumentation_utils.py java_gateway.py join.py logger "
      "loose_version.py memory_profiler_ext.py messages ml mllib pandas pipelines profiler.py rdd.py rddsampler.py resource "
      "resourceinformation.py resultiterable.py serializers.py shell.py shuffle.py sql statcounter.py status.py "
      "storagelevel.py streaming taskcontext.py testing threaddump.py traceback_utils.py util.py version.py worker.py "
      "worker_message.py worker_util.py ";
  const std::string_view part = inside.substr(0, inside.find('/'));
  if (part.empty() || part.find(' ') != part.npos) return false;
  for (size_t at = kParts.find(part); at != kParts.npos; at = kParts.find(part, at + 1)) {
    if (kParts[at - 1] == ' ' && kParts[at + part.size()] == ' ') return true;
  }
  return false;
}

// PySpark inside a Spark distribution, as an archive or a folder.
inline bool IsInSparksPyspark(std::string_view file) {
  constexpr std::string_view kFolder = "/python/pyspark/";
  if (file.find("/pyspark.zip/") != file.npos || file.starts_with("pyspark.zip/")) return true;  // without the folder that a task had it in
  const size_t at = file.rfind(kFolder);
  return at != file.npos && IsOfPysparkPackage(file.substr(at + kFolder.size()));
}

// Packages, the standard library, modules frozen into the interpreter, and PySpark and Py4J inside a Spark distribution.
inline bool IsInstalledCode(std::string_view file) {
  if (file.starts_with("<frozen ")) return true;
  for (const std::string_view part : {"/site-packages/", "/dist-packages/", "/lib/python3.", "-src.zip/py4j/"}) {
    if (file.find(part) != std::string_view::npos) return true;
  }
  return IsInSparksPyspark(file);
}

}  // namespace memprof
