#include "profile/words_file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "system/private_file.h"
#include "system/text_file.h"

namespace memprof {
namespace {

constexpr std::string_view kMagic = "MPWORDS2", kSuffix = ".words";
constexpr size_t kHeaderBytes = 12;
constexpr int64_t kLeftSeconds = 24 * 60 * 60;  // for a person to look at
constexpr uint64_t kSeed = 0x776f726473u;

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

Status Corrupt(const std::string& path, const char* why) { return Status::Error(ErrorCode::kCorrupt, "%s %s", path.c_str(), why); }

}  // namespace

bool IsGone(int32_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

std::string WordsPath(const std::string& directory, int32_t pid) { return directory + '/' + std::to_string(pid) + std::string(kSuffix); }

Result<Words> ReadWords(const std::string& path) {
  const Result<std::string> bytes = ReadPrivateFile(path, kMaxWordsBytes);
  if (!bytes.ok()) return bytes.status();
  std::string_view rest = *bytes;
  if (!rest.starts_with(kMagic)) return Corrupt(path, "is of another kind or version");
  rest.remove_prefix(kMagic.size());
  std::vector<std::string> pieces;
  while (!rest.empty()) {
    if (rest.size() < kHeaderBytes || pieces.size() > kMaxEnvelopes) return Corrupt(path, "is torn");
    const auto size = NumberAt<uint32_t>(rest.data());
    const auto checksum = NumberAt<uint64_t>(rest.data() + 4);
    rest.remove_prefix(kHeaderBytes);
    if (size > rest.size() || HashBytes(rest.data(), size, kSeed) != checksum) return Corrupt(path, "is torn");
    pieces.emplace_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  if (pieces.empty()) return Corrupt(path, "is torn");
  Words words = {std::move(pieces.front()), {}};
  words.envelopes.assign(std::make_move_iterator(pieces.begin() + 1), std::make_move_iterator(pieces.end()));
  return words;
}

std::optional<int32_t> PidOfWords(std::string_view name) {
  constexpr uint64_t kMostPid = INT32_MAX;
  if (!name.ends_with(kSuffix)) return std::nullopt;
  const std::optional<uint64_t> pid = ParseNumber(name.substr(0, name.size() - kSuffix.size()));
  if (!pid || *pid == 0 || *pid > kMostPid) return std::nullopt;
  return static_cast<int32_t>(*pid);
}

Status WriteWords(const std::string& directory, int32_t pid, const Words& words) {
  std::string bytes(kMagic);
  const auto add = [&](const std::string& piece) {
    PutNumber(static_cast<uint32_t>(piece.size()), &bytes);
    PutNumber(HashBytes(piece.data(), piece.size(), kSeed), &bytes);
    bytes += piece;
  };
  add(words.application_id);
  size_t count = 0;
  for (const std::string& envelope : words.envelopes) {
    if (bytes.size() + kHeaderBytes + envelope.size() > kMaxWordsBytes || count == kMaxEnvelopes) break;
    add(envelope);
    ++count;
  }
  return WritePrivateFile(WordsPath(directory, pid), bytes);
}

FoundWords WordsOfTheDead::Take(const std::string& directory, const std::string& application_id) {
  FoundWords found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(directory.c_str()), closedir);
  std::map<std::string, Version> left;
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
    const auto known = left_.find(path);
    if (known == left_.end() || known->second != version) {
      ++files;
      Result<Words> words = ReadWords(path);
      if (!words.ok()) found.refused.push_back({path, words.status().message()});
      if (words.ok() && words->application_id == application_id) {
        const bool taken = found.envelopes.empty() && unlink(path.c_str()) == 0;  // else another executor was faster
        if (taken) found.envelopes = std::move(words->envelopes);
        continue;
      }
    }
    const bool old = time(nullptr) - info.st_mtime > kLeftSeconds;
    if (!old || unlink(path.c_str()) != 0) left.emplace(path, version);
  }
  if (entry != nullptr) left.merge(left_);  // there are more files, so what was known of them must not be forgotten
  left_ = std::move(left);
  return found;
}

}  // namespace memprof
