// SourceReader: the low-priority thread that reads the user's Python lines where they ran, and sends the text of each once. A file that
// the driver can't read (shipped, in an image of the executor's) can be read here, also when the worker that ran it was killed.
// At most kMostLines of an application. Thread-safe; Start and Stop not against each other.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "agent/background_thread.h"
#include "profile/source_lines.h"
#include "proto/memprof.pb.h"

namespace memprof {

class SourceReader {
 public:
  using Send = std::function<void(proto::Symbols)>;

  Status Start(Redaction redaction, Send send);
  void Stop();  // reads what is still wanted

  // Lines of a profile that is on its way. Does nothing while it isn't started.
  void Want(const std::vector<SourceLineKey>& lines);

 private:
  static constexpr size_t kMostLines = 16384;

  std::chrono::milliseconds Round();

  std::optional<Redaction> redaction_;
  Send send_;
  std::mutex mutex_;
  bool started_ = false;  // guarded by mutex_, as those below
  std::vector<SourceLineKey> wanted_;
  std::set<std::pair<std::string, uint32_t>> asked_;  // by what frames call them: sent, wanted, or not to be had
  BackgroundThread thread_;
};

}  // namespace memprof
