#include "report/views/views.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "report/json.h"
#include "report/packed_text.h"
#include "report/sample_store.h"
#include "report/views/app_files.h"
#include "report/views/html_escape.h"
#include "report/views/report_file_writer.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Sample() {
  ProfileStore store;
  testing::FillSample(store);
  return store.ReportJson(false);
}

std::string Html(std::string_view json) {
  Result<std::string> html = RenderHtml(json);
  EXPECT_TRUE(html.ok()) << html.status().message();
  return html.ok() ? *html : "";
}

std::string Text(std::string_view json, const TextOptions& options) {
  Result<std::string> text = RenderText(json, options);
  EXPECT_TRUE(text.ok()) << text.status().message();
  return text.ok() ? *text : "";
}

DeathsText Deaths(const nlohmann::json& report) {
  Result<DeathsText> deaths = RenderDeaths(report.dump(), {200});
  EXPECT_TRUE(deaths.ok()) << deaths.status().message();
  return deaths.ok() ? *deaths : DeathsText();
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

size_t Columns(const std::string& line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

// What stands between two marks, which a page has once.
std::string Between(const std::string& page, std::string_view before, std::string_view after) {
  const size_t begin = page.find(before) + before.size();
  EXPECT_EQ(page.find(before, begin), page.npos) << before;
  return page.substr(begin, page.find(after, begin) - begin);
}

constexpr std::string_view kModel = "<script type=\"application/json\" id=\"sparkmemprof-model\">";

TEST(Html, HoldsTheModelAsItIs) {
  const std::string json = Sample(), held = Between(Html(json), kModel, "</script>");
  EXPECT_EQ(nlohmann::json::parse(held), nlohmann::json::parse(json));
  EXPECT_EQ(held.find('\n'), held.npos) << "for whoever searches the file line by line";
  Result<Report> read = ReadReportJson(held);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(WriteReportJson(*read), json);
}

TEST(Html, NothingInTheModelEndsItsElement) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "</script><!--<script>", "4", "3", "local", 1);
  const std::string html = Html(store.ReportJson(false)), held = Between(html, kModel, "</script>");
  EXPECT_THAT(held, Not(HasSubstr("<")));
  EXPECT_THAT(html, Not(HasSubstr("<!--")));
  EXPECT_EQ(nlohmann::json::parse(held)["application"]["name"], "</script><!--<script>");
  EXPECT_EQ(EscapeJsonInHtml("{\"<\":\"</\"}"), "{\"\\u003c\":\"\\u003c/\"}");
}

// Unpacked in a browser: tests/browser.
TEST(Html, ALargeModelIsPacked) {
  nlohmann::json model = nlohmann::json::parse(Sample());
  const auto with_name = [&](size_t size) {
    model["application"]["name"] = std::string(size, 'x');
    return Html(model.dump());
  };
  EXPECT_THAT(with_name(1000), HasSubstr(kModel));
  const std::string html = with_name(3'000'001),
                    packed = Between(html, "<script type=\"application/gzip\" id=\"sparkmemprof-model\">", "</script>");
  EXPECT_EQ(html.find(kModel), html.npos);
  EXPECT_LT(packed.size(), 30'000u);
  EXPECT_EQ(packed.size() % 4, 0u);
  EXPECT_TRUE(packed.starts_with("H4sI")) << "a gzip header";
}

// A report of many rows, which can't be packed well.
Report LargeReport() {
  Report report;
  std::mt19937_64 random(20261127);
  for (int32_t id = 0; id < 3000; ++id) {
    ReportStage& stage = report.stages.emplace_back();
    stage.stage_id = id;
    for (int i = 0; i < 10; ++i) stage.name += fmt::format("{:016x}", random());
  }
  return report;
}

TEST(Html, HoldsALargeModel) {
  const Report report = LargeReport();
  StringSink html;
  RenderHtml(report, html);
  const std::string packed = Between(html.text, "<script type=\"application/gzip\" id=\"sparkmemprof-model\">", "</script>");
  EXPECT_EQ(UnpackText(packed, 16u << 20), WriteReportJson(report));
}

TEST(Html, IsTheSameWhereTheJsonWasMadeForAnotherFile) {
  for (const Report& report : {Report(), LargeReport()}) {
    StringSink alone, json, html;
    RenderHtml(report, alone);
    ReportFileWriter files(report);
    files.WriteJson(json);
    files.WriteHtml(html);
    EXPECT_EQ(json.text, WriteReportJson(report));
    EXPECT_EQ(html.text, alone.text);
    StringSink first;
    ReportFileWriter(report).WriteHtml(first);
    EXPECT_EQ(first.text, alone.text);
  }
}

// The driver holds the model while a file is written, and little of its text.
TEST(Html, ALargeReportIsWrittenInSmallPieces) {
  struct Pieces : TextSink {
    void Write(std::string_view piece) override {
      bytes += piece.size();
      if (piece != AppScript() && !piece.starts_with("<!doctype")) largest = std::max(largest, piece.size());
    }
    size_t largest = 0, bytes = 0;
  };
  const Report report = LargeReport();
  Pieces json, html;
  WriteReportJson(report, json);
  RenderHtml(report, html);
  EXPECT_GT(json.bytes, 3'000'000u);
  EXPECT_LT(json.largest, 10'000u);
  EXPECT_GT(html.bytes, 500'000u);
  EXPECT_LT(html.largest, 90'000u);
}

TEST(Html, RunsItsOwnScriptAlone) {
  const std::string html = Html(Sample());
  EXPECT_THAT(html, HasSubstr(fmt::format("script-src '{}';", AppScriptHash())));
  EXPECT_THAT(html, HasSubstr(fmt::format("<script>{}</script></body>", AppScript())));
  EXPECT_THAT(html, HasSubstr(fmt::format("<style>{}</style>", AppStyle())));
  EXPECT_GT(AppScript().size(), 50'000u);
  EXPECT_GT(AppStyle().size(), 5'000u);
}

TEST(Html, TellsTheHeadlineWithoutScript) {
  const std::string shell = Between(Html(Sample()), "<body>", "<script");
  EXPECT_THAT(shell, HasSubstr("<h1>weighted average</h1><p>Executor 2 was killed for its memory"));
  EXPECT_THAT(shell, HasSubstr("sparkmemprof report DIR"));
  EXPECT_THAT(Html(ProfileStore().ReportJson(true)), HasSubstr("<p>Nothing was measured so far.</p>"));
}

TEST(Html, EscapesWhatUsersWrote) {
  ProfileStore store;
  store.ApplicationStarted("app-1", testing::kHostile, "4", "3", "local", 1);
  const std::string html = Html(store.ReportJson(false));
  EXPECT_THAT(html, HasSubstr("<title>sparkmemprof: &lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;</title>"));
  EXPECT_THAT(html, HasSubstr("<h1>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;</h1>"));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_EQ(EscapeHtml("<script>alert(1)</script>\"'&"), "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;");
  EXPECT_EQ(EscapeHtml(std::string_view("a\0b\x1b\n", 5)),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd ");
}

std::string TextWithPool(const nlohmann::json& peak, const nlohmann::json& end) {
  nlohmann::json report = nlohmann::json::parse(Sample());
  report["stages"][1]["arrowPoolPeakBytes"] = peak;
  report["stages"][1]["arrowPoolEndBytes"] = end;
  return Text(report.dump(), {120, false, 0});
}

TEST(Text, SaysWhatArrowsPoolHeld) {
  EXPECT_THAT(TextWithPool(53'477'376, 1'310'720), HasSubstr("Arrow's memory pool: 51.0 MiB at a task's peak, 1.2 MiB at a task's end"));
  EXPECT_THAT(TextWithPool(nullptr, 1'310'720), HasSubstr("Arrow's memory pool: 1.2 MiB at a task's end"));
  EXPECT_THAT(TextWithPool(nullptr, nullptr), Not(HasSubstr("memory pool")));
  EXPECT_THAT(TextWithPool(0, 0), Not(HasSubstr("memory pool")));
}

TEST(Text, SaysWhatItDoesNotList) {
  nlohmann::json report = nlohmann::json::parse(Sample());
  EXPECT_THAT(Text(report.dump(), {120, false, 0}), Not(HasSubstr("more call site")));
  nlohmann::json& sites = report["stages"][1]["sites"];
  const auto of_heap = std::find_if(sites.begin(), sites.end(), [](const auto& site) { return site["origin"] == "jvm-heap"; });
  ASSERT_NE(of_heap, sites.end());
  const nlohmann::json row = *of_heap;
  const auto had = std::count_if(sites.begin(), sites.end(), [](const auto& site) { return site["origin"] == "jvm-heap"; });
  for (auto i = had; i < 5 + 7; ++i) sites.push_back(row);
  nlohmann::json& retained = report["executors"][0]["retained"];
  ASSERT_TRUE(retained.is_object());
  nlohmann::json kept = retained["sites"][0];
  kept["retainedBytes"] = 1 << 20;
  retained["sites"] = nlohmann::json::array();
  for (int i = 0; i < 5 + 3; ++i) retained["sites"].push_back(kept);
  retained["otherBytes"] = 7 << 20;
  const std::string text = Text(report.dump(), {120, false, 0});
  EXPECT_THAT(text, HasSubstr("\n    … 7 more call sites\n"));
  EXPECT_THAT(text, HasSubstr("    10.0 MiB  other sites\n"));
}

TEST(Text, SaysHowManyBroadcastVariablesItDoesNotList) {
  Report report = *ReadReportJson(Sample());
  const auto text_of = [&](int64_t broadcasts) {
    report.broadcasts.clear();
    for (int64_t i = 0; i < broadcasts; ++i) report.broadcasts.push_back({i, 7u << 20, 0, 0, 0, 0});
    return RenderText(report, {200});
  };
  EXPECT_THAT(text_of(5), Not(HasSubstr("number 4: 7.0 MiB …")));
  EXPECT_THAT(text_of(5), HasSubstr("number 4: 7.0 MiB"));
  EXPECT_THAT(text_of(8), HasSubstr("number 4: 7.0 MiB … 3 more\n"));
}

TEST(Text, RefusalsAreNoDeaths) {
  Report report = *ReadReportJson(Sample());
  const auto others = [&](std::vector<bool> survived) {
    report.other_deaths.clear();
    for (const bool lived : survived) report.other_deaths.push_back({"key", 1, "1", true, "the others' headline", lived});
    return WriteReportJson(report);
  };
  for (const auto& [survived, words] :
       {std::pair(std::vector{true}, "… 1 more refusal"), std::pair(std::vector{true, true}, "… 2 more refusals"),
        std::pair(std::vector{false, true}, "… 2 more deaths and refusals"), std::pair(std::vector{false}, "… 1 more death")}) {
    EXPECT_THAT(RenderDeaths(others(survived), {200})->text, HasSubstr(words));
  }
  // In the whole text each has a line, and those beyond a hundred are counted.
  EXPECT_THAT(Text(others(std::vector<bool>(103, true)), {200}), HasSubstr("… 3 more refusals"));
}

TEST(Text, SumsAnOperatorOverItsOrigins) {
  Report report = *ReadReportJson(Sample());
  ReportStage& stage = *std::find_if(report.stages.begin(), report.stages.end(), [](const auto& row) { return row.stage_id == 2; });
  constexpr uint64_t kMi = 1 << 20;
  stage.operators = {{"broadcast", Origin::kJvmHeap, 3, 60 * kMi, 9},
                     {"PythonRunner", Origin::kJvmHeap, 2, 50 * kMi, 9},
                     {"PythonRunner", Origin::kJvmOffHeap, 1, 20 * kMi, 9}};
  EXPECT_THAT(Text(WriteReportJson(report), {200}), HasSubstr("JVM allocated for PythonRunner 70.0 MiB, broadcast 60.0 MiB"));
}

TEST(Text, SaysHowMuchOfTheTimeCollectionsTook) {
  Report report = *ReadReportJson(Sample());
  ReportStage& stage = *std::find_if(report.stages.begin(), report.stages.end(), [](const auto& row) { return row.stage_id == 2; });
  stage.gc_percent = 7.25;
  EXPECT_THAT(Text(WriteReportJson(report), {200}), HasSubstr("Garbage collection: stood still for 4.2 s, 11 % of its time; 113"));
  for (const int lines : {0, 59}) EXPECT_THAT(Text(WriteReportJson(report), {200, false, lines}), HasSubstr("7 % of its tasks' time"));
  stage.gc_percent = 0.5;
  EXPECT_THAT(Text(WriteReportJson(report), {200}), HasSubstr("<1 % of its tasks' time"));
  EXPECT_THAT(Text(WriteReportJson(report), {200, false, 59}), Not(HasSubstr("of its tasks' time"))) << "few lines";
}

TEST(Text, SaysHowMuchOfStorageWasUnrolled) {
  EXPECT_THAT(Text(Sample(), {200}), HasSubstr("Of storage, unrolling blocks: 3.0 MiB at its peak"));
}

TEST(Text, SaysThatTheDriverIsNotMeasured) {
  const std::string words = "The driver is not measured, so its own death would not show here";
  nlohmann::json report = nlohmann::json::parse(Sample());
  EXPECT_THAT(Text(report.dump(), {200}), HasSubstr(words));
  EXPECT_THAT(Text(report.dump(), {200, false, 25}), HasSubstr(words)) << "in the log";
  EXPECT_THAT(Deaths(report).text, HasSubstr(words));
  EXPECT_TRUE(Deaths(report).driver_unmeasured);
  report["postMortems"] = report["otherDeaths"] = nlohmann::json::array();
  EXPECT_EQ(Deaths(report).text, "") << "nobody died";
  EXPECT_TRUE(Deaths(report).driver_unmeasured);
  report["executors"][0]["id"] = "driver";
  EXPECT_THAT(Text(report.dump(), {200}), Not(HasSubstr("not measured, so")));
  EXPECT_FALSE(Deaths(report).driver_unmeasured);
}

TEST(Text, SaysWhatIsWorthChangingThoughNobodyDied) {
  Report report = *ReadReportJson(Sample());
  report.post_mortems.clear();
  report.findings.clear();
  EXPECT_THAT(RenderText(report, {200}), Not(HasSubstr("Worth changing")));
  const std::string headline = "Executor 1 used 94 % of its limit";
  report.findings = {{headline, std::nullopt, std::nullopt, {{"spark.executor.memory", "1g", "1500m", "it was nearly full"}}}};
  const std::string text = RenderText(report, {200});
  for (const std::string& words : {std::string("Worth changing"), headline, std::string("1500m"), std::string("it was nearly full")}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
  EXPECT_THAT(RenderText(report, {200, false, 25}), HasSubstr(headline)) << "in the log";
}

TEST(Text, ShowsTheLineItsNativeFrameAndTheirSize) {
  std::string text = Text(Sample(), {120, false, 0});
  for (const char* part : {"averages.py:27  with_cpp", "└ weighted_average", "381.5 MiB", "124 %", "JVM heap", "1 failed"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "no colour unless asked for";
}

class TextWidth : public ::testing::TestWithParam<int> {};

TEST_P(TextWidth, IsKept) {
  for (const std::string& line : Lines(Text(Sample(), {GetParam(), false, 0})))
    EXPECT_LE(Columns(line), static_cast<size_t>(GetParam())) << line;
}

INSTANTIATE_TEST_SUITE_P(Text, TextWidth, ::testing::Values(40, 60, 80, 89, 90, 100, 200));

TEST(Text, KeepsToTheLinesGiven) {
  for (int lines : {1, 5, 25}) {
    std::vector<std::string> shown = Lines(Text(Sample(), {100, false, lines}));
    EXPECT_LE(shown.size(), static_cast<size_t>(lines));
  }
  std::vector<std::string> shown = Lines(Text(Sample(), {100, false, 25}));
  EXPECT_THAT(shown, ::testing::Contains(HasSubstr("with_cpp"))) << "the line that matters fits into the driver's log";
}

TEST(Text, ControlCharactersNeverReachTheTerminal) {
  ProfileStore store;
  store.ApplicationStarted("app\x1b]0;title\x07",
                           "na\x1b[31mme\r\n\xc2\x9b"
                           "2J",
                           "4", "3", "local", 1);
  for (const std::string& line : Lines(Text(store.ReportJson(false), {100, false, 0}))) {
    EXPECT_TRUE(std::none_of(line.begin(), line.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x20; })) << line;
    EXPECT_THAT(line, Not(HasSubstr("\xc2\x9b")));
  }
}

TEST(Text, ColourEndsOnEachLine) {
  for (const std::string& line : Lines(Text(Sample(), {100, true, 0}))) {
    if (line.find("\x1b[") != std::string::npos) {
      EXPECT_TRUE(line.ends_with("\x1b[0m")) << line;
    }
  }
}

TEST(Views, AreTheSameOfTheModelAndOfItsText) {
  ProfileStore store;
  testing::FillSample(store);
  const Report report = store.Model(false);
  const std::string json = WriteReportJson(report);
  StringSink html;
  RenderHtml(report, html);
  EXPECT_EQ(html.text, Html(json));
  for (const int lines : {0, 25}) EXPECT_EQ(RenderText(report, {100, false, lines}), Text(json, {100, false, lines}));
}

TEST(Views, RefuseWhatIsNoReport) {
  EXPECT_EQ(RenderHtml("{}").status().code(), ErrorCode::kCorrupt);
  EXPECT_EQ(RenderText("nonsense", {}).status().code(), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace memprof
