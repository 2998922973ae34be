// pprof's profile format, not compressed (its readers take both). Each site is a sample, with the stage as its outermost frame. Stage,
// origin and UDF are labels, by which `go tool pprof -tagfocus` selects.
#include <map>
#include <tuple>
#include <utility>

#include "proto/pprof.pb.h"
#include "report/exports/exports.h"
#include "report/exports/stacks.h"
#include "report/json.h"
#include "report/titles.h"
#include "report/words.h"

namespace memprof {
namespace {

class ProfileBuilder {
 public:
  explicit ProfileBuilder(const Report& report) {
    profile_.add_string_table("");
    AddType("allocated_space", "bytes");
    AddType("allocated_objects", "count");
    AddType("live_at_peak_space", "bytes");
    AddType("resident_at_peak_space", "bytes");
    profile_.set_default_sample_type(StringOf("allocated_space"));
    constexpr int64_t kNanosPerMs = 1'000'000;
    if (report.application.started_ms) {
      profile_.set_time_nanos(*report.application.started_ms * kNanosPerMs);
      if (report.application.ended_ms) {
        profile_.set_duration_nanos((*report.application.ended_ms - *report.application.started_ms) * kNanosPerMs);
      }
    }
    profile_.add_comment(StringOf("sparkmemprof: " + report.application.name + " (" + report.application.id + ")"));
  }

  void Add(const ExportedStack& stack) {
    pprof::Sample* sample = profile_.add_sample();
    if (stack.site != nullptr) {
      for (auto frame = stack.site->frames.rbegin(); frame != stack.site->frames.rend(); ++frame) {
        sample->add_location_id(LocationOf(*frame));
      }
    } else {
      sample->add_location_id(LocationOf(RestFrame(stack.origin)));
    }
    sample->add_location_id(LocationOf(StageFrame(stack)));
    sample->add_value(static_cast<int64_t>(stack.allocated_bytes));
    sample->add_value(static_cast<int64_t>(stack.allocations));
    sample->add_value(static_cast<int64_t>(stack.live_at_peak_bytes.value_or(0)));
    sample->add_value(static_cast<int64_t>(stack.resident_at_peak_bytes.value_or(0)));
    if (stack.stage != nullptr) AddLabel("stage", std::to_string(stack.stage->stage_id), sample);
    AddLabel("origin", std::string(OriginWord(stack.origin)), sample);
    if (stack.site != nullptr && stack.site->udf) AddLabel("udf", UdfTitle(*stack.site->udf), sample);
  }

  std::string Bytes() const { return profile_.SerializeAsString(); }

 private:
  int64_t StringOf(const std::string& text) {
    if (text.empty()) return 0;
    const auto [entry, added] = strings_.try_emplace(text, profile_.string_table_size());
    if (added) profile_.add_string_table(text);
    return entry->second;
  }

  void AddType(const char* type, const char* unit) {
    pprof::ValueType* added = profile_.add_sample_type();
    added->set_type(StringOf(type));
    added->set_unit(StringOf(unit));
  }

  void AddLabel(const char* key, const std::string& text, pprof::Sample* sample) {
    pprof::Label* label = sample->add_label();
    label->set_key(StringOf(key));
    label->set_str(StringOf(text));
  }

  uint64_t FunctionOf(const std::string& name, const std::string& file) {
    const auto [entry, added] = functions_.try_emplace({name, file}, functions_.size() + 1);
    if (added) {
      pprof::Function* function = profile_.add_function();
      function->set_id(entry->second);
      function->set_name(StringOf(name));
      function->set_system_name(StringOf(name));
      function->set_filename(StringOf(file));
    }
    return entry->second;
  }

  uint64_t MappingOf(const ReportFrame& frame) {
    if (frame.language != Language::kNative || frame.module.empty()) return 0;
    const auto [entry, added] = mappings_.try_emplace({frame.module, frame.build_id}, mappings_.size() + 1);
    if (added) {
      pprof::Mapping* mapping = profile_.add_mapping();
      mapping->set_id(entry->second);
      mapping->set_filename(StringOf(frame.module));
      mapping->set_build_id(StringOf(frame.build_id));
      mapping->set_has_functions(true);
    }
    return entry->second;
  }

  uint64_t LocationOf(const ReportFrame& frame) {
    return LocationOf(FunctionOf(FrameTitle(frame), frame.file), frame.line, MappingOf(frame), frame.offset.value_or(0));
  }
  uint64_t LocationOf(const std::string& name) { return LocationOf(FunctionOf(name, ""), 0, 0, 0); }

  uint64_t LocationOf(uint64_t function, uint32_t line, uint64_t mapping, uint64_t address) {
    const auto [entry, added] = locations_.try_emplace({function, line, mapping, address}, locations_.size() + 1);
    if (added) {
      pprof::Location* location = profile_.add_location();
      location->set_id(entry->second);
      location->set_mapping_id(mapping);
      location->set_address(address);
      pprof::Line* at = location->add_line();
      at->set_function_id(function);
      at->set_line(line);
    }
    return entry->second;
  }

  pprof::Profile profile_;
  std::map<std::string, int64_t> strings_;
  std::map<std::pair<std::string, std::string>, uint64_t> functions_, mappings_;
  std::map<std::tuple<uint64_t, uint32_t, uint64_t, uint64_t>, uint64_t> locations_;
};

}  // namespace

Result<std::string> RenderPprof(std::string_view report_json) {
  const Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  ProfileBuilder profile(*report);
  for (const ExportedStack& stack : StacksOf(*report)) profile.Add(stack);
  return profile.Bytes();
}

}  // namespace memprof
