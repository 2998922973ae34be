#include "boxes/python_refusal.h"

#include <unistd.h>

#include <algorithm>

#include "base/valid_utf8.h"
#include "system/private_file.h"

namespace memprof {
namespace {

constexpr uint64_t kMostBytes = 1024;

}  // namespace

std::string TakePythonRefusal(const BoxPlace& place) {
  if (place.directory.empty() || place.executor_id.find('/') != place.executor_id.npos) return "";
  const std::string path = place.directory + "/workers-" + place.executor_id + ".refusal";
  const Result<std::string> left = ReadPrivateFile(path, kMostBytes);
  if (!left.ok() || left->empty()) return "";
  unlink(path.c_str());
  std::string why = ValidUtf8(*left);
  std::replace_if(
      why.begin(), why.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return why;
}

}  // namespace memprof
