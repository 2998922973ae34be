// A tree of files in a temporary folder, removed at the end: what tests give to readers of /proc and /sys.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace memprof {

class FileTree {
 public:
  FileTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "memprof-tree-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~FileTree() { std::filesystem::remove_all(root_); }
  FileTree(const FileTree&) = delete;
  FileTree& operator=(const FileTree&) = delete;

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = root_ + "/" + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << text;
  }
  std::string Path(const std::string& path) const { return root_ + "/" + path; }
  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

}  // namespace memprof
