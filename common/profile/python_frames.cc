#include "profile/python_frames.h"

#include <algorithm>

#include "base/installed_code.h"

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

bool HasNameOf(const BoxFrame& frame, const BoxUdf& udf) { return LastPart(frame.function) == LastPart(udf.name); }

// The standard library, and packages that PySpark itself uses. Other packages may wrap the user's function, or be imported for it.
bool ServesTheFramework(std::string_view file) {
  constexpr std::string_view kPackages[] = {"pandas/", "numpy/", "pyarrow/", "py4j/"};
  for (const std::string_view root : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = file.rfind(root);
    if (at == file.npos) continue;
    const std::string_view package = file.substr(at + root.size());
    return std::any_of(std::begin(kPackages), std::end(kPackages), [&](std::string_view each) { return package.starts_with(each); });
  }
  return IsInstalledCode(file);
}

// A deep stack may have lost its outermost frames, and thereby the framework's.
bool IsFrameworksOwn(const std::vector<const BoxFrame*>& frames, const PythonFramework& framework) {
  const auto is_others = [&](const BoxFrame* frame) {
    return frame->language == Language::kPython && !framework.Contains(*frame) && !ServesTheFramework(frame->file);
  };
  return std::any_of(frames.begin(), frames.end(), [&](const BoxFrame* frame) { return framework.Contains(*frame); }) &&
         std::none_of(frames.begin(), frames.end(), is_others);
}

// A program without Spark is one function without a place (program/process_profile.h).
bool HasPlace(const BoxUdf& udf) { return udf.line != 0 && !udf.file.empty(); }

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
  BoxUdf joined = udf;
  joined.name.clear();
  for (const BoxUdf& each : udfs) {
    if (each.file == udf.file && each.line == udf.line && each.kind == udf.kind)
      joined.name += (joined.name.empty() ? "" : ", ") + each.name;
  }
  return joined;
}

uint32_t UdfOf(const std::vector<const BoxFrame*>& frames, const std::vector<BoxUdf>& udfs, const PythonFramework& framework) {
  for (const BoxFrame* frame : frames) {
    uint32_t found = 0;  // a function that was given another name has it in the plan and not in its code
    for (size_t i = 0; i < udfs.size(); ++i) {
      if (!IsAtPlaceOf(*frame, udfs[i])) continue;
      if (HasNameOf(*frame, udfs[i])) return static_cast<uint32_t>(i + 1);
      if (found == 0) found = static_cast<uint32_t>(i + 1);
    }
    if (found != 0) return found;
  }
  if (udfs.size() != 1) return 0;
  return HasPlace(udfs.front()) && IsFrameworksOwn(frames, framework) ? 0 : 1;
}

}  // namespace memprof
