#include "report/json_words.h"

#include "report/consumer_words.h"
#include "report/digest.h"
#include "report/titles.h"
#include "report/verdict.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;

Json IndexOf(const ReportFrame* frame, const std::vector<ReportFrame>& frames) {
  return frame == nullptr ? Json(nullptr) : Json(frame - frames.data());
}

void AddLeads(const std::vector<ReportSite>& sites, Json& json) {
  for (size_t i = 0; i < json.size(); ++i) json[i]["lead"] = IndexOf(LeadOf(sites[i]), sites[i].frames);
}

void AddLeads(const auto& optional, Json& json) {
  if (!optional) return;
  Json& rows = json["sites"];
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::vector<ReportFrame>& frames = optional->sites[i].frames;
    rows[i]["lead"] = IndexOf(LeadFrame(frames), frames);
  }
}

void AddWords(const ReportSiteGroup& group, Json& json) {
  if (!json.contains("lines")) return;
  AddLeads(group.sites, json["sites"]);
  for (size_t i = 0; i < json["sites"].size(); ++i) {
    if (IsPySparks(group.sites[i])) json["sites"][i]["ofPySpark"] = true;
  }
  Json& rows = json["lines"];
  for (size_t i = 0; i < rows.size(); ++i) {
    if (IsPySparks(group.lines[i], group)) rows[i]["ofPySpark"] = true;
    rows[i]["place"] = LinePlace(group.lines[i].file, group.lines[i].line);
    Json& paths = rows[i]["paths"] = Json::array();
    for (const AllocationPath& path : PathsOf(group.lines[i], group)) {
      paths.push_back(Json{{"text", path.text}, {"place", path.place}, {"native", path.native}, {"site", path.site - group.sites.data()}});
    }
  }
}

}  // namespace

Json VerdictJson(const Report& report) {
  const ReportVerdict verdict = VerdictOf(report);
  return Json{{"tone", ToneWord(verdict.tone)},
              {"sentence", verdict.sentence},
              {"because", verdict.because},
              {"unmeasured", UnmeasuredDriver(report)}};
}

Json CounterGroupsJson(const Report& report) {
  const CounterGroups groups = GroupsOf(report.counters);
  Json bounds = Json::array();
  for (const auto& [name, value] : groups.bounds) bounds.push_back(Json{{"name", name}, {"value", value}});
  const auto by_thread = [](const std::vector<std::pair<std::string, uint64_t>>& group) {
    Json rows = Json::array();
    for (const auto& [thread, bytes] : group) rows.push_back(Json{{"thread", thread}, {"bytes", bytes}});
    return rows;
  };
  return Json{{"bounds", std::move(bounds)},
              {"outsideTasks", by_thread(groups.outside_tasks)},
              {"outsideTasksOffHeap", by_thread(groups.outside_tasks_off_heap)},
              {"outsideTasksNative", by_thread(groups.outside_tasks_native)},
              {"outsideTasksPython", by_thread(groups.outside_tasks_python)}};
}

void AddWords(const ReportExecutor& executor, Json& json) {
  json["limitPhrase"] = LimitPhrase(executor);
  json["tone"] = ToneWord(ToneOf(executor));
  AddLeads(executor.retained, json["retained"]);
  AddLeads(executor.left_off_heap, json["offHeapOfNoTask"]);
  AddLeads(executor.left_native, json["nativeOfNoTask"]);
}

void AddWords(const ReportStage& stage, Json& json) {
  json["title"] = StageTitle(stage);
  Json& consumers = json["sparkMemory"]["consumers"];
  for (size_t i = 0; i < consumers.size(); ++i) consumers[i]["title"] = ShortClassName(stage.memory.consumers[i].name);
  Json& distributions = json["distributions"];
  for (size_t i = 0; i < distributions.size(); ++i) distributions[i]["tone"] = ToneWord(ToneOf(stage.distributions[i]));
  AddWords(static_cast<const ReportSiteGroup&>(stage), json);
  Json& others = json["otherAttempts"];
  others["phrase"] = OtherAttemptsPhrase(stage.other_attempts);
  AddWords(static_cast<const ReportSiteGroup&>(stage.other_attempts), others);
}

void AddWords(const ReportLeak& leak, Json& json) {
  json["place"] = LinePlace(leak.file, leak.line);
  json["phrase"] = LeakPhrase(leak) + LeakWorkersPhrase(leak);
}

void AddWords(const ReportPostMortem& death, Json& json) {
  json["tone"] = ToneWord(ToneOf(death));
  json["title"] = HeldTitle(death);
  json["stackTitle"] = StackTitle(death);
  json["heapNote"] = death.heap ? HeapNote(*death.heap) : "";
  AddLeads(death.sites, json["sites"]);
  AddLeads(death.retained, json["retained"]);
}

void AddWords(const ReportDriver& driver, Json& json) {
  Json& rows = json["actions"];
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i]["title"] = ActionTitle(driver.actions[i]);
    rows[i]["which"] = ActionWhich(driver.actions[i]);
    rows[i]["builtAtPhrase"] = BuiltAtPhrase(driver.actions[i]);
  }
}

}  // namespace memprof
