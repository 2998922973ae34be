#include "profile/words_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string_view>

#include "base/hash.h"
#include "system/private_file.h"
#include "system/text_file.h"

namespace memprof {
namespace {

constexpr std::string_view kMagic = "MPWORDS1", kSuffix = ".words";
constexpr size_t kHeaderBytes = 12;
constexpr int64_t kRefusedSeconds = 24 * 60 * 60;  // for a person to look at
constexpr uint64_t kSeed = 0x776f726473u;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

template <typename Number>
void PutNumber(Number value, std::string* out) {
  for (size_t i = 0; i < sizeof value; ++i) out->push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

template <typename Number>
Number NumberAt(const char* bytes) {
  Number value = 0;
  for (size_t i = 0; i < sizeof value; ++i) value |= static_cast<Number>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  return value;
}

Status IoError(const char* what, const std::string& path) {
  return Status::Error(ErrorCode::kIo, "cannot %s %s: %s", what, path.c_str(), strerror(errno));
}

Status Corrupt(const std::string& path, const char* why) { return Status::Error(ErrorCode::kCorrupt, "%s %s", path.c_str(), why); }

}  // namespace

bool IsGone(int32_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

Result<std::vector<std::string>> ReadWords(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) return IoError("open", path);
  struct stat info;
  if (fstat(file.get(), &info) != 0) return IoError("look at", path);
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid()) return Corrupt(path, "is no file of this user");
  if (info.st_size < 0 || static_cast<uint64_t>(info.st_size) > kMaxWordsBytes) return Corrupt(path, "is larger than what is ever written");
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t count = read(file.get(), bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return IoError("read", path);
    if (count == 0) return Corrupt(path, "got shorter while it was read");
    at += static_cast<size_t>(count);
  }
  std::string_view rest = bytes;
  if (!rest.starts_with(kMagic)) return Corrupt(path, "is of another kind or version");
  rest.remove_prefix(kMagic.size());
  std::vector<std::string> envelopes;
  while (!rest.empty()) {
    if (rest.size() < kHeaderBytes || envelopes.size() == kMaxEnvelopes) return Corrupt(path, "is torn");
    const auto size = NumberAt<uint32_t>(rest.data());
    const auto checksum = NumberAt<uint64_t>(rest.data() + 4);
    rest.remove_prefix(kHeaderBytes);
    if (size > rest.size() || HashBytes(rest.data(), size, kSeed) != checksum) return Corrupt(path, "is torn");
    envelopes.emplace_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return envelopes;
}

std::optional<int32_t> PidOfWords(std::string_view name) {
  constexpr uint64_t kMostPid = INT32_MAX;
  if (!name.ends_with(kSuffix)) return std::nullopt;
  const std::optional<uint64_t> pid = ParseNumber(name.substr(0, name.size() - kSuffix.size()));
  if (!pid || *pid == 0 || *pid > kMostPid) return std::nullopt;
  return static_cast<int32_t>(*pid);
}

Status WriteWords(const std::string& directory, int32_t pid, const std::vector<std::string>& envelopes) {
  std::string bytes(kMagic);
  size_t count = 0;
  for (const std::string& envelope : envelopes) {
    if (bytes.size() + kHeaderBytes + envelope.size() > kMaxWordsBytes || count == kMaxEnvelopes) break;
    PutNumber(static_cast<uint32_t>(envelope.size()), &bytes);
    PutNumber(HashBytes(envelope.data(), envelope.size(), kSeed), &bytes);
    bytes += envelope;
    ++count;
  }
  return WritePrivateFile(directory + '/' + std::to_string(pid) + std::string(kSuffix), bytes);
}

FoundWords WordsOfTheDead::Take(const std::string& directory) {
  FoundWords found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(directory.c_str()), closedir);
  std::map<std::string, Version> refused;
  size_t files = 0;
  const dirent* entry = nullptr;
  while (folder != nullptr && files < kMostFiles && (entry = readdir(folder.get())) != nullptr) {
    const std::string_view name = entry->d_name;
    const std::optional<int32_t> pid = PidOfWords(name);
    if (!pid || !IsGone(*pid)) continue;
    const std::string path = directory + '/' + std::string(name);
    struct stat info;
    if (lstat(path.c_str(), &info) != 0) continue;
    const Version version = {info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    const auto known = refused_.find(path);
    if (known == refused_.end() || known->second != version) {
      ++files;
      Result<std::vector<std::string>> envelopes = ReadWords(path);
      if (envelopes.ok()) {
        if (unlink(path.c_str()) != 0) continue;  // another executor was faster and sends them
        for (std::string& envelope : *envelopes) found.envelopes.push_back(std::move(envelope));
        continue;
      }
      found.refused.push_back({path, envelopes.status().message()});
    }
    const bool old = time(nullptr) - info.st_mtime > kRefusedSeconds;
    if (!old || unlink(path.c_str()) != 0) refused.emplace(path, version);
  }
  if (entry != nullptr) refused.merge(refused_);  // there are more files, so older refusals must not be forgotten
  refused_ = std::move(refused);
  return found;
}

}  // namespace memprof
