// How code is called in every view: short names, the file's last part, one form for each kind of frame.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/model.h"

namespace memprof {

// "dir/job.py" -> "job.py".
std::string_view BaseName(std::string_view path);

// "dir/job.py" -> "job.py", "dir/helpers.zip/helpers/mod.py" -> "helpers.zip/helpers/mod.py", "…/site-packages/pandas/core/frame.py" ->
// "pandas/core/frame.py", "dir/__init__.py" -> the same.
std::string_view FileTitle(std::string_view path);

// "enrich.py:17", "notebook cell 3, line 2"; `line` 0: of the whole file.
std::string TitledPlace(std::string_view file_title, uint32_t line);

// "aggregate (job.py:41)", "aggregate (notebook cell 12, line 3)".
std::string UdfTitle(const ReportUdf& udf);

// Where a frame is: "averages.py:27", "notebook cell 12, line 3", "Unsafe.java:632", "libarrow.so.2000", "_umath.so" (without the tag of
// the CPython it was built for); "" when nothing is known.
std::string FramePlace(const ReportFrame& frame);

// What a frame runs: "weighted_average", "UnsafeRow.copy", or module+offset for native code without a name.
std::string FrameTitle(const ReportFrame& frame);

// The frame a JVM site is known by: the innermost one outside of the JDK, Scala's library, Netty and Spark's
// unsafe package, which only hand out what others ask for; nullptr without frames.
const ReportFrame* LeadFrame(const std::vector<ReportFrame>& frames);

// "Executor 7", "The driver": for the beginning of a sentence.
std::string ExecutorTitle(const std::string& id);

// "python-worker 4131", "ffmpeg 4140": as processes are called in lists.
std::string ProcessTitle(const ReportProcess& process);

// "Python worker 4131 of executor 1 (task 40, stage 5)", "Python process 4140 of executor 1 (started by task 40, stage 5)",
// "Program ffmpeg 4150 of executor 1 (started by task 40, stage 5)".
std::string WorkerTitle(const ReportPostMortem& death);

// What a post-mortem's sites are: "Held at the last sample", "Allocated by task 41, an attempt of the same stage that had failed before".
std::string HeldTitle(const ReportPostMortem& death);

// What its stack is: "Memory was refused in", "Died in".
std::string StackTitle(const ReportPostMortem& death);

// "toPandas at job.py:17"; "count" where Spark doesn't know the line.
std::string ActionTitle(const ReportAction& action);
std::string BuiltAtPhrase(const ReportAction& action);  // "job.py:3, 9; tables.py:41"; "" where it isn't known
// "query 3", "job 7"; "" where neither is known.
std::string ActionWhich(const ReportAction& action);

// "101.3 MiB ± 2.1 MiB of 120.0 MiB in use after PS MarkSweep (System.gc())".
std::string RetainedPhrase(const ReportRetained& retained);

// "382.4 MiB long[] (1,234), 9.0 MiB java.lang.String (300)": the first `most` classes.
std::string HeapClassesPhrase(const ReportHeapShortage& heap, size_t most);

// What was in use when a thread found no room, and the heap's maximum. Nothing where it is not known. The whole heap is walked a little
// later: where that found much less than the collection before the error had left, other threads had failed, too, and let go of it.
std::optional<uint64_t> HeapUsed(const ReportHeapShortage& heap);
std::optional<uint64_t> HeapMax(const ReportHeapShortage& heap);
// Less than half of it was in use then, so what filled it had been let go, or one large array was asked for. False where it is not known.
bool WasHalfEmpty(const ReportHeapShortage& heap);
// What makes the heap's content a poor witness: "509.8 MiB were in use; most of it had been let go when the heap was walked", "only 62.8
// MiB of 512.0 MiB were in use then: …"; else "".
std::string HeapNote(const ReportHeapShortage& heap);

// "HashMap.put HashMap.java:632, stage 3", "… , thread broadcast-exchange-#".
std::string MadePhrase(const std::vector<ReportFrame>& frames, std::optional<int32_t> stage_id, const std::string& thread);

}  // namespace memprof
