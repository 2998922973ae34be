// Which Python code was installed and isn't the user's own, judged by its file. Pure function.
#pragma once

#include <string_view>

namespace memprof {

// Packages, the standard library, modules frozen into the interpreter, and PySpark and Py4J inside a Spark distribution.
inline bool IsInstalledCode(std::string_view file) {
  if (file.starts_with("<frozen ")) return true;
  for (const std::string_view part :
       {"/site-packages/", "/dist-packages/", "/lib/python3.", "/pyspark.zip/", "-src.zip/py4j/", "/python/pyspark/"}) {
    if (file.find(part) != std::string_view::npos) return true;
  }
  return file.starts_with("pyspark.zip/");  // of an archive that a task's folder had, without that folder
}

}  // namespace memprof
