#include "system/proc_files.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/text_file.h"

namespace memprof {
namespace {

// Calls visit(number) for every entry of a folder whose name is one: pids, thread ids.
template <typename Visit>
bool ForEachNumber(const std::string& folder, Visit&& visit) {
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) return false;
  while (const dirent* entry = readdir(directory)) {
    const std::optional<uint64_t> number = ParseNumber(entry->d_name);
    if (number) visit(static_cast<int32_t>(*number));
  }
  closedir(directory);
  return true;
}

// Fields behind the command of /proc/pid/stat, which may itself hold blanks and parentheses; [0] is the state.
std::vector<std::string_view> FieldsBehindCommand(std::string_view stat) {
  const size_t end = stat.rfind(')');
  return end == std::string_view::npos ? std::vector<std::string_view>() : SplitWords(stat.substr(end + 1));
}

}  // namespace

std::string ProcFiles::PathOf(int32_t pid, const char* file) const { return root_ + '/' + std::to_string(pid) + '/' + file; }

Result<uint64_t> ProcFiles::ReadRss(int32_t pid) const {
  const Result<std::string> text = ReadTextFile(PathOf(pid, "statm"), 256);
  if (!text.ok()) return text.status();
  const std::vector<std::string_view> words = SplitWords(*text);
  const std::optional<uint64_t> pages = words.size() < 2 ? std::nullopt : ParseNumber(words[1]);
  if (!pages) return Status::Error(ErrorCode::kCorrupt, "statm of process %d has no second number", pid);
  return *pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

Result<ProcessStatus> ProcFiles::ReadStatus(int32_t pid) const {
  const Result<std::string> text = ReadTextFile(PathOf(pid, "status"), 16384);
  if (!text.ok()) return text.status();
  ProcessStatus status;
  status.parent = static_cast<int32_t>(NumberOf(*text, "PPid").value_or(0));
  const std::optional<uint64_t> rss = NumberOf(*text, "VmRSS");
  if (!rss) return Status::Error(ErrorCode::kNotFound, "process %d has no memory any more", pid);  // a zombie
  status.rss_bytes = *rss;
  status.rss_anon_bytes = NumberOf(*text, "RssAnon").value_or(0);
  status.rss_file_bytes = NumberOf(*text, "RssFile").value_or(0);
  status.rss_shmem_bytes = NumberOf(*text, "RssShmem").value_or(0);
  status.swap_bytes = NumberOf(*text, "VmSwap").value_or(0);
  status.rss_peak_bytes = NumberOf(*text, "VmHWM").value_or(0);
  return status;
}

Result<ProcessPss> ProcFiles::ReadPss(int32_t pid) const {
  const Result<std::string> text = ReadTextFile(PathOf(pid, "smaps_rollup"), 16384);
  if (!text.ok()) return text.status();
  const std::optional<uint64_t> pss = NumberOf(*text, "Pss");
  if (!pss) return Status::Error(ErrorCode::kNotFound, "process %d has no memory any more", pid);
  return ProcessPss{*pss, NumberOf(*text, "Rss").value_or(*pss)};
}

Result<uint64_t> ProcFiles::ReadStartTicks(int32_t pid) const {
  const Result<std::string> text = ReadTextFile(PathOf(pid, "stat"), 4096);
  if (!text.ok()) return text.status();
  const std::vector<std::string_view> fields = FieldsBehindCommand(*text);
  constexpr size_t kStartTime = 19;  // field 22 of the whole line
  const std::optional<uint64_t> ticks = fields.size() <= kStartTime ? std::nullopt : ParseNumber(fields[kStartTime]);
  if (!ticks) return Status::Error(ErrorCode::kCorrupt, "stat of process %d has no start time", pid);
  return *ticks;
}

Result<std::vector<std::string>> ProcFiles::ReadCommandLine(int32_t pid) const {
  const Result<std::string> text = ReadTextFile(PathOf(pid, "cmdline"), 65536);
  if (!text.ok()) return text.status();
  std::vector<std::string> words;
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = text->find('\0', begin);
    words.push_back(text->substr(begin, end == std::string::npos ? end : end - begin));
    begin = end == std::string::npos ? text->size() : end + 1;
  }
  return words;
}

std::string ProcFiles::ReadName(int32_t pid) const {
  const Result<std::string> text = ReadTextFile(PathOf(pid, "comm"), 64);
  return text.ok() ? text->substr(0, text->find('\n')) : std::string();
}

std::string ProcFiles::ReadProgram(int32_t pid) const {
  char path[4096];
  const ssize_t length = readlink(PathOf(pid, "exe").c_str(), path, sizeof path);
  return length <= 0 ? std::string() : std::string(path, static_cast<size_t>(length));
}

std::vector<int32_t> ProcFiles::Children(int32_t pid) const {
  std::vector<int32_t> children;
  bool listed = false;
  ForEachNumber(PathOf(pid, "task"), [&](int32_t thread) {
    const Result<std::string> text = ReadTextFile(PathOf(pid, "task") + '/' + std::to_string(thread) + "/children");
    if (!text.ok()) return;
    listed = true;
    for (const std::string_view word : SplitWords(*text)) {
      if (const std::optional<uint64_t> child = ParseNumber(word)) children.push_back(static_cast<int32_t>(*child));
    }
  });
  return listed ? children : ChildrenByScan(pid, SIZE_MAX).value_or(children);
}

std::optional<std::vector<int32_t>> ProcFiles::ChildrenByScan(int32_t pid, size_t most) const {
  std::vector<int32_t> processes, children;
  ForEachNumber(root_, [&](int32_t process) { processes.push_back(process); });  // the kernel gives a thousand at once
  if (processes.size() > most) return std::nullopt;
  for (const int32_t process : processes) {
    const Result<std::string> text = ReadTextFile(PathOf(process, "stat"), 4096);
    if (!text.ok()) continue;
    const std::vector<std::string_view> fields = FieldsBehindCommand(*text);
    if (fields.size() > 1 && ParseNumber(fields[1]) == static_cast<uint64_t>(pid)) children.push_back(process);
  }
  return children;
}

// By the links of their folder, which each of its folders adds to.
size_t ProcFiles::Threads(int32_t pid) const {
  struct stat info;
  return stat(PathOf(pid, "task").c_str(), &info) == 0 && info.st_nlink > 2 ? info.st_nlink - 2 : 0;
}

std::optional<uint64_t> ProcFiles::HostMemory() const {
  const Result<std::string> text = ReadTextFile(root_ + "/meminfo", 16384);
  return text.ok() ? NumberOf(*text, "MemTotal") : std::nullopt;
}

HostRoom ProcFiles::ReadHostRoom() const {
  const Result<std::string> text = ReadTextFile(root_ + "/meminfo", 16384);
  HostRoom room;
  if (!text.ok()) return room;
  room.available_bytes = NumberOf(*text, "MemAvailable");
  if (const std::optional<uint64_t> total = NumberOf(*text, "SwapTotal")) {
    room.swap = HostSwap{*total, NumberOf(*text, "SwapFree").value_or(0)};
  }
  return room;
}

std::optional<uint64_t> ProcFiles::HostOomKills() const {
  const Result<std::string> text = ReadTextFile(root_ + "/vmstat", 32768);
  return text.ok() ? NumberOf(*text, "oom_kill") : std::nullopt;
}

std::string ProcFiles::BootId() const {
  const Result<std::string> text = ReadTextFile(root_ + "/sys/kernel/random/boot_id", 64);
  return text.ok() ? text->substr(0, text->find('\n')) : "";
}

}  // namespace memprof
