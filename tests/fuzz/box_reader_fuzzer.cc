// libFuzzer: any bytes as a black box. The first byte says whether they are made believable first (forged_box.h).
//
//   cmake --preset fuzz && cmake --build build/fuzz --target box_reader_fuzzer
//   build/fuzz/tests/fuzz/box_reader_fuzzer -max_len=200000 CORPUS     (a corpus: boxes, each with a byte in front)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "blackbox/box_reader.h"
#include "core/blackbox/forged_box.h"

namespace {

const std::string& Path() {
  static const std::string path = "/dev/shm/memprof-fuzz-" + std::to_string(getpid()) + ".box";
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) memprof::box::Forge(bytes);
  const int fd = open(Path().c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) abort();
  close(fd);
  memprof::Result<memprof::BoxReader> reader = memprof::BoxReader::Open(Path());
  if (reader.ok()) {
    [[maybe_unused]] const memprof::Result<memprof::BoxRows> rows = reader->ReadRows();
    for (const memprof::BoxReader::SessionKey& key : reader->Sessions()) {
      memprof::Result<memprof::BoxSession> session = reader->ReadSession(key.number);
      if (!session.ok()) continue;
      for (size_t i = 0; i < session->stacks.size(); ++i) {
        if (session->stacks[i].parent > i || session->stacks[i].frame >= session->frames.size()) abort();
      }
      for (const memprof::BoxSite& site : session->sites) {
        if (site.stack > session->stacks.size()) abort();
      }
      (void)reader->Acknowledge(key.number);
    }
  }
  unlink(Path().c_str());
  return 0;
}
