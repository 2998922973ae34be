#include "report/file_titles.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/titles.h"

namespace memprof {
namespace {

// The end of the path with so many folders more than its title has.
std::string_view Longer(std::string_view path, size_t folders) {
  size_t begin = path.size() - FileTitle(path).size();
  for (; folders > 0 && begin > 0; --folders) {
    const size_t slash = begin < 2 ? path.npos : path.rfind('/', begin - 2);
    begin = slash == path.npos ? 0 : slash + 1;
  }
  return path.substr(begin);
}

}  // namespace

std::map<std::string, std::string> DistinctFileTitles(const std::set<std::string>& files) {
  std::map<std::string_view, std::vector<std::string_view>> by_title;
  for (const std::string& file : files) by_title[FileTitle(file)].push_back(file);
  std::map<std::string, std::string> titles;
  for (const auto& [title, alike] : by_title) {
    size_t folders = 0;
    const auto are_distinct = [&, &alike = alike] {
      std::set<std::string_view> seen;
      return std::all_of(alike.begin(), alike.end(), [&](std::string_view file) { return seen.insert(Longer(file, folders)).second; });
    };
    while (!are_distinct()) ++folders;  // at the latest with all of each path
    for (const std::string_view file : alike) titles.emplace(file, Longer(file, folders));
  }
  return titles;
}

}  // namespace memprof
