// Which Python code was installed, or generated, and isn't the user's own, judged by its file. Pure functions.
#pragma once

#include <algorithm>
#include <array>
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

inline constexpr std::string_view kSparksPy4j = "-src.zip/py4j/";  // inside a Spark distribution

inline constexpr std::array<const char*, 2> kPackageFolders = {"/site-packages/", "/dist-packages/"};

// The path below the folder that packages are installed into: "pandas/core/frame.py"; "": it is in none.
inline std::string_view InPackages(std::string_view file) {
  for (const std::string_view root : kPackageFolders) {
    if (const size_t at = file.rfind(root); at != file.npos) return file.substr(at + root.size());
  }
  constexpr std::string_view kWheel = ".whl/";  // in a PEX file each has a folder of its own
  for (const std::string_view root : {"/installed_wheels/", "/.deps/"}) {
    const size_t at = file.find(root), wheel = at == file.npos ? at : file.find(kWheel, at);
    if (wheel != file.npos) return file.substr(wheel + kWheel.size());
  }
  return {};
}

inline constexpr std::array<std::string_view, 2> kStandardLibraries = {"/lib/python3.", "/lib64/python3."};

// Packages, the standard library, modules frozen into the interpreter, and PySpark and Py4J inside a Spark distribution.
inline bool IsInstalledCode(std::string_view file) {
  if (file.starts_with("<frozen ") || !InPackages(file).empty()) return true;
  for (const std::string_view library : kStandardLibraries) {
    if (file.find(library) != file.npos) return true;
  }
  return file.find(kSparksPy4j) != file.npos || IsInSparksPyspark(file);
}

// What a program has compiled from a text while it ran: the methods of named tuples and data classes ("<string>"), numpy's
// "<__array_function__ internals>". Not what somebody has typed at a prompt or into a notebook, whose names begin like this, too.
inline bool IsGeneratedCode(std::string_view file) {
  constexpr std::array<std::string_view, 10> kTyped = {"<stdin",    "<python-input", "<ipython-input", "<bpython-input", "<pyshell#",
                                                       "<doctest ", "<command-",     "<timed ",        "<input>",        "<console>"};
  return file.starts_with('<') && !file.starts_with("<frozen ") &&
         std::none_of(kTyped.begin(), kTyped.end(), [&](std::string_view begin) { return file.starts_with(begin); });
}

}  // namespace memprof
