// A small box with two closed sessions, an open one and the process-level one: what the mutation test and the fuzzer change.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "sites/recorder.h"

namespace memprof {

inline constexpr uintptr_t kSomewhere = 0x10'0000'0000;

// The bytes of the recorder's box once three tasks have run; the recorder must be new.
inline std::string RecordValidBox(Recorder& recorder) {
  const auto ref = [](const std::string& text) { return StringRef{text.data(), static_cast<uint32_t>(text.size())}; };
  const auto frame = [&](const std::string& function, uint32_t line) {
    return recorder.InternPythonFrame(ref(function), ref("/jobs/helper.py"), line, 1);
  };
  for (int64_t task = 1; task <= 3; ++task) {
    recorder.OpenSession({task, 3, 0, 5, 1});
    recorder.AddUdf(ref("aggregate"), ref("/jobs/job.py"), 41, ref("MAP_PANDAS_ITER"));
    const uint32_t module = recorder.InternModule(ref("/opt/libhidden.so"), ref("00ff"));
    for (uint32_t line = 1; line <= 20; ++line) {
      const uintptr_t address = kSomewhere + static_cast<uintptr_t>(task * 100 + line) * 0x100000;
      const uint64_t size = 300'007 + line;
      const FrameId frames[] = {frame("main", 10), frame("udf", line), recorder.InternNativeFrame(module, 0x40 + line)};
      recorder.Allocated({Origin::kPython, address, size, size, 1, recorder.InternStack(frames, 3, size)});
      if (line % 3 == 0) recorder.Freeing(address);
    }
    recorder.SetCounter(ref("arrowPoolPeakBytes"), 12'345);
  }
  std::ifstream stream(recorder.box_path(), std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

}  // namespace memprof
