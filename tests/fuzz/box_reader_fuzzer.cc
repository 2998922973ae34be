// libFuzzer: a black box that isn't what it should be. The first byte says what it is: the bytes that follow, or a valid box
// (valid_box.h) with changes by them; and whether it is made believable then (forged_box.h).
//
//   cmake --preset fuzz && cmake --build build/fuzz --target box_reader_fuzzer
//   build/fuzz/tests/fuzz/box_reader_fuzzer -max_len=200000 CORPUS     (a corpus: inputs as above)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "blackbox/box_reader.h"
#include "core/blackbox/forged_box.h"
#include "core/blackbox/valid_box.h"

namespace {

const std::string& Path() {
  static const std::string path = "/dev/shm/memprof-fuzz-" + std::to_string(getpid()) + ".box";
  return path;
}

std::string MakeValidBox() {
  const std::string directory = Path() + ".made";
  std::filesystem::create_directory(directory);
  memprof::RecorderOptions options = {};
  options.box_directory = directory.c_str();
  options.application_id = "application_1700000000000_0042";
  options.executor_id = "7";
  options.interval_bytes = 64 << 10;
  options.python_version = "3.11.7";
  options.box_bytes = 1u << 20;
  memprof::Result<memprof::Recorder*> recorder = memprof::Recorder::Create(options);
  if (!recorder.ok()) abort();
  std::string bytes = memprof::RecordValidBox(**recorder);
  (*recorder)->Finish();
  std::filesystem::remove_all(directory);
  return bytes;
}

// The places that the header and the first records take are as likely as all others together.
void Change(std::string& box, std::string_view changes) {
  struct [[gnu::packed]] {
    uint32_t where;
    uint8_t size;
  } change;
  while (changes.size() > sizeof change) {
    memcpy(&change, changes.data(), sizeof change);
    changes.remove_prefix(sizeof change);
    const std::string_view bytes = changes.substr(0, 1 + change.size % 16);
    changes.remove_prefix(bytes.size());
    const size_t within = change.where % 2 == 0 ? memprof::box::kHeaderBytes * 2 : box.size();
    const size_t at = change.where / 2 % (within - bytes.size());
    box.replace(at, bytes.size(), bytes);
  }
}

void Read() {
  memprof::Result<memprof::BoxReader> reader = memprof::BoxReader::Open(Path());
  if (!reader.ok()) return;
  [[maybe_unused]] const memprof::Result<memprof::RssRows> rows = reader->ReadRssRows();
  memprof::BoxReader::FrameMark mark;
  (void)reader->NewNativeFrames(&mark);
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string valid = MakeValidBox();
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] & 2) {
    std::string box = valid;
    Change(box, bytes);
    bytes = std::move(box);
  }
  if (data[0] & 1) memprof::box::Forge(bytes);
  const int fd = open(Path().c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) abort();
  close(fd);
  Read();
  unlink(Path().c_str());
  return 0;
}
