#include "system/cgroup_paths.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "system/text_file.h"

namespace memprof {
namespace {

// Blanks, tabs, newlines and backslashes of a path are written as \ooo.
std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
    if (text[i] == '\\' && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
      out.push_back(static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0')));
      i += 3;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

bool IsFolder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Paths are told as seen from the reader's control group namespace: "/../.." is outside it.
bool IsAboveNamespace(std::string_view path) { return path == "/.." || path.starts_with("/../"); }

bool HasEntry(std::string_view list, std::string_view entry) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    if (list.substr(0, comma) == entry) return true;
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return false;
}

// Kernel file systems count a folder's subfolders in its links. Others may always say 1.
bool HasNoFolders(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && info.st_nlink == 2;
}

}  // namespace

std::vector<std::string> FoldersBelow(const std::string& top) {
  constexpr size_t kMostFolders = 512;
  std::vector<std::string> folders = {top};
  for (size_t next = 0; next < folders.size() && folders.size() < kMostFolders; ++next) {
    if (HasNoFolders(folders[next])) continue;
    DIR* stream = opendir(folders[next].c_str());
    if (stream == nullptr) continue;
    while (const dirent* entry = readdir(stream)) {
      if (entry->d_name[0] == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)) continue;
      const std::string inner = folders[next] + '/' + entry->d_name;
      if (folders.size() < kMostFolders && (entry->d_type == DT_DIR || IsFolder(inner))) folders.push_back(inner);
    }
    closedir(stream);
  }
  return folders;
}

std::string NameOfGroup(const std::string& folder, const std::string& proc) {
  struct stat info {};
  static_cast<void>(stat(folder.c_str(), &info));
  const Result<std::string> boot = ReadTextFile(proc + "/sys/kernel/random/boot_id", 64);
  return folder + ' ' + std::to_string(info.st_ino) + ' ' + (boot.ok() ? boot->substr(0, boot->find('\n')) : "");
}

std::vector<CgroupMount> ReadCgroupMounts(const CgroupRoots& roots) {
  std::vector<CgroupMount> mounts;
  const Result<std::string> text = ReadTextFile(roots.proc + "/self/mountinfo", 4u << 20);
  if (!text.ok()) return mounts;
  for (const std::string_view line : SplitLines(*text)) {
    const std::vector<std::string_view> words = SplitWords(line);  // id parent device root point options… - type source options
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 5 || words.end() - dash < 4) continue;
    if (dash[1] != "cgroup" && dash[1] != "cgroup2") continue;
    mounts.push_back({std::string(dash[1]), Unescaped(words[3]), roots.files + Unescaped(words[4]), std::string(dash[3])});
  }
  return mounts;
}

// Version 1 has release_agent in its root group alone, and version 2 cgroup.events in all others. Something else may be mounted over it.
bool IsWholeHierarchy(const CgroupMount& mount) {
  if (!Exists(mount.point + "/cgroup.procs")) return false;
  return mount.type == "cgroup" ? Exists(mount.point + "/release_agent") : !Exists(mount.point + "/cgroup.events");
}

std::optional<std::string> CgroupPathOf(const CgroupRoots& roots, std::string_view controller) {
  const Result<std::string> text = ReadTextFile(roots.proc + "/self/cgroup");
  if (!text.ok()) return std::nullopt;
  for (const std::string_view line : SplitLines(*text)) {  // id:controllers:path
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : HasEntry(controllers, controller)) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

std::vector<std::string> FoldersUpwards(const CgroupMount& mount, const std::string& path) {
  std::string inside = path;
  if (mount.root != "/") {
    const bool below = path == mount.root || path.starts_with(mount.root + '/');
    if (!below && IsAboveNamespace(mount.root)) return {};
    inside = below ? path.substr(mount.root.size()) : "/";
  }
  if (IsAboveNamespace(inside)) return {};
  while (!inside.empty() && inside.back() == '/') inside.pop_back();
  if (!IsFolder(mount.point + inside)) {
    if (IsWholeHierarchy(mount)) return {};
    inside.clear();
  }
  std::vector<std::string> folders;
  for (;;) {
    folders.push_back(mount.point + inside);
    if (inside.empty()) return folders;
    inside.resize(inside.rfind('/') == std::string::npos ? 0 : inside.rfind('/'));
  }
}

Result<CgroupUse> ReadCgroupUse(const KeptFile& stat, const KeptFile& usage, std::initializer_list<const char*> reclaimable) {
  const Result<std::string> text = stat.ReadText();
  if (!text.ok()) return text.status();
  const Result<uint64_t> bytes = usage.ReadNumber();
  if (!bytes.ok()) return bytes.status();
  CgroupUse use{.usage_bytes = *bytes};
  for (const char* name : reclaimable) use.reclaimable_bytes += NumberOf(*text, name).value_or(0);
  return use;
}

// cgroup.procs lists a group's direct members only, and in version 2 a group with a limit for others usually has none.
std::vector<int32_t> ReadProcesses(const std::string& own, const std::string& limiting) {
  std::vector<int32_t> processes;
  std::vector<std::string> folders = FoldersBelow(limiting);
  folders.insert(folders.begin(), own);
  for (const std::string& folder : folders) {
    const Result<std::string> text = ReadTextFile(folder + "/cgroup.procs");
    if (!text.ok()) continue;
    for (const std::string_view line : SplitLines(*text)) {
      const std::optional<uint64_t> pid = ParseNumber(line);
      if (pid && processes.size() < MemoryCgroup::kMaxProcesses) processes.push_back(static_cast<int32_t>(*pid));
    }
  }
  std::sort(processes.begin(), processes.end());
  processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
  return processes;
}

namespace {

// By the kernel's command line, or because it was built without. Its list names the controller, unless it is a new kernel.
bool HasNoMemoryController(const CgroupRoots& roots) {
  if (!Exists(roots.proc + "/self/cgroup")) return Exists(roots.proc + "/self/mountinfo");
  const Result<std::string> text = ReadTextFile(roots.proc + "/cgroups");
  if (!text.ok()) return false;
  for (const std::string_view line : SplitLines(*text)) {
    const std::vector<std::string_view> words = SplitWords(line);  // name hierarchy groups enabled
    if (words.size() == 4 && words[0] == "memory") return words[3] == "0";
  }
  return false;
}

Status WhyNone(const CgroupRoots& roots) {
  const Status none = Status::Error(ErrorCode::kNotFound, "no control group with a memory controller holds this process");
  if (HasNoMemoryController(roots)) return none;
  const std::string file = roots.proc + "/self/cgroup";
  if (!Exists(file)) return Status::Error(ErrorCode::kIo, "its control groups can't be told: there is no %s", file.c_str());
  const std::vector<CgroupMount> mounts = ReadCgroupMounts(roots);
  const bool version1 = CgroupPathOf(roots, "memory").has_value();
  if (!version1) {
    const std::optional<std::string> path = CgroupPathOf(roots, "");
    const bool sees_all = path && std::any_of(mounts.begin(), mounts.end(), [&](const CgroupMount& mount) {
                            return mount.type == "cgroup2" && IsWholeHierarchy(mount) && !FoldersUpwards(mount, *path).empty();
                          });
    if (!path || sees_all) return none;
  }
  return Status::Error(ErrorCode::kIo, "control groups of version %d hold this process, but %s", version1 ? 1 : 2,
                       mounts.empty() ? "none are mounted here" : "those that are mounted here don't show its memory");
}

}  // namespace

Result<std::unique_ptr<MemoryCgroup>> FindMemoryCgroup(const CgroupRoots& roots) {
  // Where both are mounted, the memory controller is in one of them only: version 1's, if it names it.
  if (std::unique_ptr<MemoryCgroup> found = FindCgroupV1(roots)) return found;
  if (std::unique_ptr<MemoryCgroup> found = FindCgroupV2(roots)) return found;
  return WhyNone(roots);
}

std::string WhyALimitMayBeUnseen(const Result<std::unique_ptr<MemoryCgroup>>& found) {
  if (found.ok()) {
    return (*found)->SeesEveryLimit() ? "" : "a control group around its own may have one, outside the namespace that it sees";
  }
  return found.status().code() == ErrorCode::kNotFound ? "" : found.status().message();
}

}  // namespace memprof
