// A tree of files in a temporary folder, removed at the end: what tests give to readers of /proc and /sys.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_directory.h"

namespace memprof {

class FileTree {
 public:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = root() + "/" + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << text;
  }
  std::string Path(const std::string& path) const { return root() + "/" + path; }
  const std::string& root() const { return directory_.path(); }

 private:
  TemporaryDirectory directory_;
};

}  // namespace memprof
