// SourceReader: the low-priority thread that reads the user's Python lines where they ran, and sends the text of each once. A
// file that the driver can't read (shipped, or in the executor's image) can be read here, also when the worker that ran it was
// killed. At most kMostLines for each application. Thread-safe, except that Start and Stop must not run at the same time.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "profile/source_lines.h"
#include "proto/memprof.pb.h"

namespace memprof {

class SourceReader {
 public:
  using Send = std::function<void(proto::Symbols)>;

  SourceReader();
  ~SourceReader();

  Status Start(Redaction redaction, Send send, int patience);
  // Open requests are read first, for at most a second times `patience`, because a file system that hangs must not keep the
  // executor from ending. A thread that still waits for it is abandoned, and sends nothing more.
  void Stop() noexcept;

  // Lines of a profile that is being sent. Does nothing while it isn't started.
  void Want(const std::vector<SourceLineKey>& lines);

 private:
  class Work;

  std::mutex mutex_;
  std::shared_ptr<Work> work_;  // guarded by mutex_
};

}  // namespace memprof
