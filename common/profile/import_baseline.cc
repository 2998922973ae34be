#include "profile/import_baseline.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/installed_code.h"
#include "base/valid_utf8.h"
#include "profile/withheld.h"

namespace memprof {
namespace {

constexpr size_t kMostModules = 16;
constexpr size_t kMostFolders = 16;  // of a path that are looked into

bool IsImportSystem(const BoxFrame& frame) {
  return frame.file.starts_with("<frozen importlib") || frame.file.starts_with("<frozen zipimport");
}

std::string_view Stem(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  return path.substr(0, path.find('.'));
}

std::string_view FirstPart(std::string_view path) {
  const std::string_view first = path.substr(0, path.find('/'));
  return first.substr(0, first.find('.'));
}

// The path below the last folder from which Python imports, or nothing.
std::optional<std::string_view> BelowImportFolder(std::string_view path) {
  if (const std::string_view below = InPackages(path); !below.empty()) return below;
  for (const std::string_view folder : {".zip/", ".egg/"}) {
    if (const size_t at = path.rfind(folder); at != path.npos) return path.substr(at + folder.size());
  }
  for (const std::string_view library : kStandardLibraries) {
    const size_t at = path.rfind(library);
    const size_t below = at == path.npos ? at : path.find('/', at + library.size());
    if (below != path.npos) return path.substr(below + 1);
  }
  return std::nullopt;
}

class Modules {
 public:
  explicit Modules(const HasFile& has_file) : has_file_(has_file) {}

  void Add(const BoxSession& session) {
    for (const BoxSite& site : session.sites) {
      if (site.live_bytes == 0) continue;
      const std::vector<std::string> imported = ImportedBy(session, site.stack);
      for (const std::string& name : imported) {
        ImportedModule& module = by_name_[name];
        module.name = name;
        module.installed = installed_.contains(name);
        module.with_imports_bytes += site.live_bytes;
        if (&name == &imported.front()) module.live_bytes += site.live_bytes;
      }
    }
  }

  std::vector<ImportedModule> Heaviest() const {
    std::vector<ImportedModule> modules;
    for (const auto& [name, module] : by_name_) modules.push_back(module);
    std::stable_sort(modules.begin(), modules.end(), [](const ImportedModule& a, const ImportedModule& b) {
      return std::pair(a.live_bytes, a.with_imports_bytes) > std::pair(b.live_bytes, b.with_imports_bytes);
    });
    if (modules.size() <= kMostModules) return modules;
    ImportedModule others{.name = "others", .installed = true};
    for (size_t i = kMostModules; i < modules.size(); ++i) others.live_bytes += modules[i].live_bytes;
    others.with_imports_bytes = others.live_bytes;
    modules.resize(kMostModules);
    modules.push_back(others);
    return modules;
  }

 private:
  // The modules that are being imported in a stack, innermost first, each once. Before a module's own first line runs, its code is being
  // read; that counts for the module that imports it.
  std::vector<std::string> ImportedBy(const BoxSession& session, uint32_t stack) {
    std::vector<std::string> imported;
    size_t confirmed = 0;  // module code that the import system runs, which a script's isn't
    for (uint32_t at = stack; at != 0 && at <= session.stacks.size();) {
      const BoxStackNode& node = session.stacks[at - 1];
      if (node.frame >= session.frames.size()) break;
      const BoxFrame& frame = session.frames[node.frame];
      if (frame.language == Language::kPython && frame.function == "<module>") {
        const std::string& name = NameOf(frame.file);
        if (std::find(imported.begin(), imported.end(), name) == imported.end()) imported.push_back(name);
      } else if (frame.language == Language::kPython && IsImportSystem(frame)) {
        confirmed = imported.size();
      }
      if (node.parent >= at) break;  // parents come before children; anything else would loop
      at = node.parent;
    }
    imported.resize(confirmed);
    return imported;
  }

  const std::string& NameOf(const std::string& file) {
    const auto [entry, added] = names_.try_emplace(file);
    if (added) {
      entry->second = TopLevelModuleOf(file, has_file_);
      if (IsInstalledCode(file)) installed_.insert(entry->second);
    }
    return entry->second;
  }

  const HasFile& has_file_;
  std::map<std::string, std::string> names_;
  std::set<std::string> installed_;
  std::map<std::string, ImportedModule> by_name_;
};

}  // namespace

std::string TopLevelModuleOf(const std::string& file, const HasFile& has_file) {
  std::string_view path = file;
  if (path.starts_with("<frozen ")) return std::string(path.substr(8, path.find('>') - 8));
  if (const std::optional<std::string_view> below = BelowImportFolder(path)) return std::string(FirstPart(*below));
  std::string_view module = path;
  if (path.ends_with("/__init__.py")) module.remove_suffix(12);
  std::string_view folder = path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/'));
  for (size_t i = 0; i < kMostFolders && !folder.empty() && has_file(std::string(folder) + "/__init__.py"); ++i) {
    module = folder;
    folder = folder.substr(0, folder.rfind('/') == std::string_view::npos ? 0 : folder.rfind('/'));
  }
  return std::string(Stem(module));
}

std::vector<ImportedModule> ImportedModulesOf(const std::vector<const BoxSession*>& sessions, const HasFile& has_file) {
  Modules modules(has_file);
  for (const BoxSession* session : sessions) modules.Add(*session);
  return modules.Heaviest();
}

std::vector<ImportedModule> ImportedModulesOf(const std::vector<const BoxSession*>& sessions) {
  return ImportedModulesOf(sessions, [](const std::string& path) { return access(path.c_str(), F_OK) == 0; });
}

void Renew(const ImportBaseline& other, ImportBaseline* baseline) {
  const std::optional<uint64_t> first_task = std::max(baseline->first_task_rss_bytes, other.first_task_rss_bytes);
  if (other.as_of_session >= baseline->as_of_session) *baseline = other;
  baseline->first_task_rss_bytes = first_task;
}

void AddBaseline(const ImportBaseline& baseline, bool withheld, proto::Process* process) {
  proto::Baseline* message = process->mutable_baseline();
  message->set_start_rss_bytes(baseline.start_rss_bytes);
  if (baseline.first_task_rss_bytes) message->set_first_task_rss_bytes(*baseline.first_task_rss_bytes);
  message->set_as_of_session(baseline.as_of_session);
  for (const ImportedModule& module : baseline.modules) {
    proto::ImportedModule* row = message->add_modules();
    row->set_name(withheld && !module.installed ? Withheld("module", module.name) : ValidUtf8(module.name));
    row->set_live_bytes(module.live_bytes);
    row->set_with_imports_bytes(module.with_imports_bytes);
  }
}

}  // namespace memprof
