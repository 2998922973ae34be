// box_writer DIRECTORY TASK MODE LIBRARY: stands in for a Python worker of executor 7 of app-1. It writes a session with one
// UDF, one Python site with a native frame under it and one site in the machinery, says "ready", and waits for the end of its
// input. MODE: closed (the session was closed in time), open (it wasn't), helper (likewise, of a process that the task has started). A
// test tool.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "sites/recorder.h"
#include "symbols/elf_file.h"

namespace {

using memprof::FrameId;
using memprof::StringRef;

StringRef Ref(std::string_view text) { return {text.data(), static_cast<uint32_t>(text.size())}; }

// What a hook would have recorded for a call that returns into LIBRARY's fixture_exported.
FrameId NativeFrame(memprof::Recorder* recorder, const char* library) {
  void* handle = dlopen(library, RTLD_NOW);
  void* function = handle == nullptr ? nullptr : dlsym(handle, "fixture_exported");
  Dl_info info;
  if (function == nullptr || dladdr(function, &info) == 0) return memprof::kNoFrame;
  const auto offset = static_cast<uint64_t>(static_cast<char*>(function) - static_cast<char*>(info.dli_fbase)) + 1;
  const memprof::Result<memprof::ElfFile> file = memprof::ElfFile::Open(library);
  const uint32_t module = recorder->InternModule(Ref(library), Ref(file.ok() ? file->build_id() : ""));
  return recorder->InternNativeFrame(module, offset);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: box_writer DIRECTORY TASK closed|open|helper LIBRARY\n");
    return 2;
  }
  memprof::RecorderOptions options = {argv[1], "app-1", "7", 65536, "3.11.7"};
  options.started_by_task = std::string_view(argv[3]) == "helper";
  memprof::Result<memprof::Recorder*> created = memprof::Recorder::Create(options);
  if (!created.ok()) {
    fprintf(stderr, "box_writer: %s\n", created.status().message());
    return 1;
  }
  memprof::Recorder* recorder = *created;
  recorder->OpenSession({atoll(argv[2]), 3, 0, 1, 0});
  recorder->AddUdf(Ref("make.<locals>.aggregate"), Ref("/jobs/job.py"), 10, Ref("MAP_PANDAS_ITER"));

  const FrameId machinery = recorder->InternPythonFrame(Ref("main"), Ref("/opt/spark/pyspark/worker.py"), 1200, 1100);
  const FrameId serializer = recorder->InternPythonFrame(Ref("dump_stream"), Ref("/opt/spark/pyspark/serializers.py"), 90, 80);
  const FrameId user = recorder->InternPythonFrame(Ref("aggregate"), Ref("/jobs/job.py"), 14, 10);
  const FrameId helper = recorder->InternPythonFrame(Ref("total"), Ref("/jobs/pyspark/helper.py"), 3, 1);
  const FrameId native = NativeFrame(recorder, argv[4]);
  const FrameId in_library[] = {machinery, user, helper, native};
  const FrameId in_machinery[] = {machinery, serializer};
  recorder->Allocated(
      {memprof::Origin::kPython, 0x10000000, 123'456'789, 123'456'789, 1, recorder->InternStack(in_library, 4, 123'456'789)});
  recorder->Allocated({memprof::Origin::kPython, 0x70000000, 70'001, 90'007, 2, recorder->InternStack(in_machinery, 2, 70'001)});
  if (std::string_view(argv[3]) == "closed") recorder->CloseSession();
  printf("ready\n");
  fflush(stdout);
  while (getchar() != EOF) {
  }
  recorder->Finish();
  return 0;
}
