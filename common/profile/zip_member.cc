#include "profile/zip_member.h"

#include <minizip/unzip.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace memprof {
namespace {

constexpr int kCaseSensitive = 1;

class ZipArchive {
 public:
  explicit ZipArchive(const std::string& path) : file_(unzOpen64(path.c_str())) {}
  ~ZipArchive() {
    if (file_ != nullptr) unzClose(file_);
  }
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  std::optional<std::string> Read(const std::string& member, size_t most_bytes) {
    unz_file_info64 about = {};
    if (file_ == nullptr || unzLocateFile(file_, member.c_str(), kCaseSensitive) != UNZ_OK ||
        unzGetCurrentFileInfo64(file_, &about, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK || about.uncompressed_size > most_bytes ||
        unzOpenCurrentFile(file_) != UNZ_OK) {
      return std::nullopt;
    }
    std::string text(about.uncompressed_size, '\0');
    size_t size = 0;
    while (size < text.size()) {
      const size_t wanted = std::min<size_t>(text.size() - size, std::numeric_limits<int>::max());
      const int read_bytes = unzReadCurrentFile(file_, text.data() + size, static_cast<unsigned>(wanted));
      if (read_bytes <= 0) break;
      size += static_cast<size_t>(read_bytes);
    }
    const bool sound = unzCloseCurrentFile(file_) == UNZ_OK && size == text.size();  // its checksum, too
    return sound ? std::optional(std::move(text)) : std::nullopt;
  }

 private:
  unzFile file_;
};

bool IsRegularFile(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

}  // namespace

std::optional<std::string> ReadZipMember(const std::string& path, size_t most_bytes) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string archive = path.substr(0, slash);
    if (IsRegularFile(archive)) return ZipArchive(archive).Read(path.substr(slash + 1), most_bytes);
  }
  return std::nullopt;
}

}  // namespace memprof
