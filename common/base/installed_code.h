// Which Python code was installed and isn't the user's own, judged by its file. Pure function.
#pragma once

#include <string_view>

namespace memprof {

// PySpark inside a Spark distribution, as an archive or a folder.
inline bool IsInSparksPyspark(std::string_view file) {
  return file.find("/pyspark.zip/") != file.npos || file.find("/python/pyspark/") != file.npos ||
         file.starts_with("pyspark.zip/");  // of an archive that a task's folder had, without that folder
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
