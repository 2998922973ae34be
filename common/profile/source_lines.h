// Lines of the user's Python code in a profile's frames, read from the code's file, or from the member of an imported zip archive
// ("helpers.zip/helpers/mod.py", as Python calls it). Thread-safe (no state).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "profile/profile_sites.h"
#include "proto/memprof.pb.h"

namespace memprof {

struct SourceLineKey {
  std::string path;  // where it lies
  std::string file;  // as frames call it
  uint32_t line = 0;
  bool operator<(const SourceLineKey& other) const { return std::tie(path, file, line) < std::tie(other.path, other.file, other.line); }
  bool operator==(const SourceLineKey&) const = default;
};

// The user's lines among the frames of `profile`, which was written from `sites`; each once.
std::vector<SourceLineKey> SourceLinesOf(const proto::TaskProfile& profile, const ProfileSites& sites);

// Finds lines that must not be shown, by Spark's spark.redaction.regex. That has Java's syntax, but is read here by C++'s regular
// expressions (ECMAScript). Redaction::Make refuses an expression that the two read differently, or that may take exponential
// time; then no text is shown at all.
class Redaction {
 public:
  // What the newest Sparks hide by default, and keys of interfaces; Redaction.java has the same.
  static constexpr std::string_view kDefault = "(?i)secret|password|token|access[.]?key|api[.]?key|credential";

  static Result<Redaction> Make(std::string_view regex);  // kInvalidArgument: it can't be read
  bool Hides(std::string_view line) const;                // also a line that is too long to be searched

 private:
  std::regex regex_;
};

// Reads the lines, file by file, into messages of at most 256, and gives each to `send`.
void ReadSourceLines(const std::vector<SourceLineKey>& lines, const Redaction& redaction, const std::function<void(proto::Symbols)>& send);

// A line without the space around it, at most 160 bytes of it; "(redacted)" where it must not be shown.
std::string ShownLine(std::string_view line, const Redaction& redaction);

// The text of the lines, as ShownLine has it. Lines that can't be read, or are empty, are left out. Reads regular files of at most 8 MiB;
// waits for a slow file system without a limit.
std::map<uint32_t, std::string> ReadSourceLines(const std::string& path, const std::set<uint32_t>& lines, const Redaction& redaction);

}  // namespace memprof
