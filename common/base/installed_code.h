// Which Python code was installed and isn't the user's own, as far as its file tells. Pure function.
#pragma once

#include <string_view>

namespace memprof {

// Packages, the standard library, what is frozen into the interpreter, and PySpark and Py4J as a distribution of Spark has them.
inline bool IsInstalledCode(std::string_view file) {
  if (file.starts_with("<frozen ")) return true;
  for (const std::string_view part :
       {"/site-packages/", "/dist-packages/", "/lib/python3.", "/pyspark.zip/", "-src.zip/py4j/", "/python/pyspark/"}) {
    if (file.find(part) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace memprof
