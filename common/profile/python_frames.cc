#include "profile/python_frames.h"

#include <algorithm>

#include "base/installed_code.h"
#include "base/pysparks_own.h"

namespace memprof {
namespace {

constexpr std::string_view kEntryPoints[] = {"/pyspark/worker.py",
                                             "/pyspark/daemon.py",
                                             "/sparkmemprof/daemon.py",
                                             "/sparkmemprof/worker.py",
                                             "/sparkmemprof/task_processes.py",
                                             "/sparkmemprof/program.py",
                                             "/sparkmemprof/startup/sitecustomize.py"};

// PySpark starts through runpy, which comes from the standard library or frozen into the interpreter.
bool IsRunner(const BoxFrame& frame) { return frame.file == "<frozen runpy>" || frame.file.ends_with("/runpy.py"); }

std::string_view LastPart(std::string_view qualified) {
  const size_t dot = qualified.rfind('.');
  return dot == std::string_view::npos ? qualified : qualified.substr(dot + 1);
}

bool IsAtPlaceOf(const BoxFrame& frame, const BoxUdf& udf) {
  return frame.language == Language::kPython && frame.first_line != 0 && frame.first_line == udf.line && frame.file == udf.file;
}

// How surely a frame at its place is this UDF's. Functions of one factory have one place, and may have names of their own.
enum class Likeness { kNone, kPlace, kLastPartOfName, kName };

Likeness LikenessOf(const BoxFrame& frame, const BoxUdf& udf) {
  if (!IsAtPlaceOf(frame, udf)) return Likeness::kNone;
  if (frame.function == udf.name) return Likeness::kName;
  return LastPart(frame.function) == LastPart(udf.name) ? Likeness::kLastPartOfName : Likeness::kPlace;
}

// A deep stack may have lost its outermost frames, and thereby the framework's.
bool IsFrameworksOwn(const std::vector<const BoxFrame*>& frames, const PythonFramework& framework) {
  PysparksOwn own;
  for (const BoxFrame* frame : frames) {
    if (frame->language == Language::kPython) own.Add(frame->file, frame->function, framework.Contains(*frame));
  }
  return own.is();
}

// A program without Spark is one function without a place (program/process_profile.h).
bool HasPlace(const BoxUdf& udf) { return udf.line != 0 && !udf.file.empty(); }

struct Match {
  UdfOfStack udf;
  Likeness likeness = Likeness::kNone;
};

Match MatchOf(const BoxFrame& frame, const std::vector<BoxUdf>& udfs) {
  Match match;
  for (size_t i = 0; i < udfs.size(); ++i) {
    const Likeness likeness = LikenessOf(frame, udfs[i]);
    if (likeness > match.likeness) {
      match = {{static_cast<uint32_t>(i + 1), false}, likeness};
    } else if (likeness == match.likeness && likeness != Likeness::kName) {
      match.udf.is_one_of_several = true;
    }
  }
  return match;
}

// Closures of PySpark's that the driver has pickled have the driver's path.
bool IsOfPyspark(const BoxFrame& frame, const PythonFramework& framework) {
  return framework.Contains(frame) ||
         (frame.language == Language::kPython && (IsInSparksPyspark(frame.file) || InPackages(frame.file).starts_with("pyspark/")));
}

// PySpark makes one function of a chain of RDD operations. A later one that asks for its input has the earlier ones on its stack: below
// PySpark's frames, or directly, if the earlier one is a generator. Any other one below its caller without them was called by the user.
// Of a generator the frames don't tell: what a later function makes of it by itself looks like its input.
bool TakesOver(const UdfOfStack& inner, const UdfOfStack& outer, bool behind_pyspark, const std::vector<BoxUdf>& udfs) {
  const auto is_of_chain = [&](const UdfOfStack& udf) { return udfs[udf.index_plus_1 - 1].kind == "RDD"; };
  const bool may_be_input = udfs[inner.index_plus_1 - 1].is_generator && inner.index_plus_1 < outer.index_plus_1;
  return is_of_chain(inner) && is_of_chain(outer) && (behind_pyspark || may_be_input);
}

// Methods of one object alone, the one that gives rows first: of a table function, a data source, a stateful processor. PySpark may resume
// what the method has returned, such as a helper's generator, when the method itself is over.
bool AreOfOneObject(const std::vector<BoxUdf>& udfs) {
  return !udfs.empty() && std::all_of(udfs.begin(), udfs.end(), [](const BoxUdf& udf) {
    return udf.kind.ends_with("TABLE_UDF") || udf.kind == "ARROW_UDTF" || udf.kind.starts_with("DATA_SOURCE_") ||
           udf.kind.starts_with("TRANSFORM_WITH_STATE_");
  });
}

}  // namespace

PythonFramework::PythonFramework(const std::vector<BoxFrame>& frames) {
  for (const BoxFrame& frame : frames) {
    for (const std::string_view entry : kEntryPoints) {
      if (frame.language != Language::kPython || !frame.file.ends_with(entry)) continue;
      std::string root = frame.file.substr(0, frame.file.rfind('/') + 1);
      if (std::find(roots_.begin(), roots_.end(), root) == roots_.end()) roots_.push_back(std::move(root));
    }
  }
}

bool PythonFramework::Contains(const BoxFrame& frame) const {
  return frame.language == Language::kPython && (IsRunner(frame) || std::any_of(roots_.begin(), roots_.end(), [&](const std::string& root) {
                                                   return frame.file.starts_with(root);
                                                 }));
}

BoxUdf WithNamesOfItsPlace(const BoxUdf& udf, const std::vector<BoxUdf>& udfs) {
  constexpr size_t kMostNames = 2;
  std::vector<std::string_view> names;
  for (const BoxUdf& each : udfs) {
    const std::string_view name = LastPart(each.name);
    if (each.file == udf.file && each.line == udf.line && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  BoxUdf joined = udf;
  joined.name.clear();
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) joined.name += (i == 0 ? "" : ", ") + std::string(names[i]);
  if (names.size() > kMostNames) joined.name += ", …";
  return joined;
}

UdfOfStack UdfOf(const std::vector<const BoxFrame*>& frames, const std::vector<BoxUdf>& udfs, const PythonFramework& framework,
                 bool others_are_dropped) {
  UdfOfStack found;
  bool behind_pyspark = false;  // since the frame that is `found`
  for (const BoxFrame* frame : frames) {
    const Match match = MatchOf(*frame, udfs);
    if (match.likeness == Likeness::kNone) {
      behind_pyspark = behind_pyspark || IsOfPyspark(*frame, framework);
    } else if (found.index_plus_1 == 0 || TakesOver(match.udf, found, behind_pyspark, udfs)) {
      if (match.likeness == Likeness::kPlace && others_are_dropped) return {};
      found = match.udf;
      behind_pyspark = false;
    }
  }
  if (found.index_plus_1 != 0) return found;
  if (!(udfs.size() == 1 || AreOfOneObject(udfs)) || (HasPlace(udfs.front()) && IsFrameworksOwn(frames, framework))) return {};
  return {1, false};
}

}  // namespace memprof
