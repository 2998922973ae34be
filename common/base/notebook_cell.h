// The name under which a notebook's kernel compiles a cell. Pure functions, thread-safe. In a header, because what the hooks may run has
// none of this.
#pragma once

#include <string>
#include <string_view>

#include "base/digits.h"

namespace memprof {

// ipykernel writes "/tmp/ipykernel_<pid>/<hash of the cell>.py", IPython before it "<ipython-input-<number>-<hash>>".
inline std::string_view CellNumber(std::string_view file) {
  constexpr std::string_view kInput = "<ipython-input-", kKernel = "/ipykernel_", kEnd = ".py";
  if (file.starts_with(kInput)) {
    const std::string_view rest = file.substr(kInput.size());
    return rest.find('-') == rest.npos ? "" : rest.substr(0, rest.find('-'));
  }
  const size_t kernel = file.find(kKernel);
  if (kernel == file.npos || !file.ends_with(kEnd)) return "";
  const std::string_view rest = file.substr(kernel + kKernel.size());
  const size_t slash = rest.find('/');
  if (slash == rest.npos || !AllDigits(rest.substr(0, slash))) return "";
  return rest.substr(slash + 1, rest.size() - slash - 1 - kEnd.size());
}

// "notebook cell 3141592653" of "/tmp/ipykernel_4711/3141592653.py", where the number is the hash of the cell's text, and "notebook cell
// 12" of "<ipython-input-12-5ac0ffee>", where it is In[12]'s. "": it is no cell.
inline std::string CellName(std::string_view file) {
  const std::string_view number = CellNumber(file);
  return AllDigits(number) ? "notebook cell " + std::string(number) : "";
}

}  // namespace memprof
