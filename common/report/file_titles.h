// Files as a table names them. Pure functions.
#pragma once

#include <map>
#include <set>
#include <string>

namespace memprof {

// FileTitle of each; of those that have the same one, with as many folders before it as differ.
std::map<std::string, std::string> DistinctFileTitles(const std::set<std::string>& files);

}  // namespace memprof
