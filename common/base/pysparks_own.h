// Whether PySpark's worker does by itself what a Python stack shows: its imports, the conversion of batches. Fed with the stack's Python
// frames, outermost first. Judged by files: its own, the standard library's, and those of packages that it uses, with the code that they
// generate. What such a package imports in turn is part of PySpark's import. Not thread-safe.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/installed_code.h"

namespace memprof {

class PysparksOwn {
 public:
  void Add(std::string_view file, std::string_view function, bool of_framework) {
    framework_ = framework_ || of_framework;
    if (of_framework || imports_) return;
    if (in_package_ && IsMadeBy(file, function)) return;
    in_package_ = IsOfPackageItUses(file);
    if (in_package_) {
      imports_ = function == "<module>";
    } else if (!IsInstalledCode(file) || IsOfPackages(file)) {
      others_ = true;
    }
  }

  bool is() const { return framework_ && !others_; }

 private:
  // Functions of a program that was given as a text have that file, too.
  static bool IsMadeBy(std::string_view file, std::string_view function) {
    return IsGeneratedCode(file) && (file != "<string>" || function.starts_with("_") || function == "<lambda>");
  }
  static bool IsOfPackages(std::string_view file) { return !InPackages(file).empty(); }
  // Other packages may wrap the user's function, or be imported for it.
  static bool IsOfPackageItUses(std::string_view file) {
    constexpr std::string_view kPackages[] = {"pandas/", "numpy/", "pyarrow/", "py4j/"};
    const std::string_view package = InPackages(file);
    return file.find(kSparksPy4j) != file.npos ||
           std::any_of(std::begin(kPackages), std::end(kPackages), [&](std::string_view each) { return package.starts_with(each); });
  }

  bool framework_ = false, imports_ = false, others_ = false;
  bool in_package_ = false;  // of those that it uses
};

}  // namespace memprof
