#include "report/pages/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/sample_store.h"
#include "report/views/app_files.h"
#include "report/views/html_escape.h"

namespace memprof {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class Pages : public ::testing::Test {
 protected:
  Pages() : model_(Sample()), pages_(model_) {}

  static Report Sample() {
    ProfileStore store;
    testing::FillSample(store);
    return store.Model(true);
  }

  PageAnswer Ask(std::string_view path, std::string_view query = "") { return pages_.Answer(path, query); }
  json Json(std::string_view path, std::string_view query = "") {
    PageAnswer answer = Ask(path, query);
    EXPECT_EQ(answer.status, 200) << *answer.body;
    EXPECT_STREQ(answer.content_type, "application/json");
    return json::parse(*answer.body);
  }

  Report model_;
  ReportPages pages_;
};

TEST_F(Pages, ThePageIsAPlaceForTheApp) {
  PageAnswer page = Ask("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.content_type, HasSubstr("text/html"));
  for (const char* text : {"data-model=\"api/v1/report\"", "data-style=\"app.css\"", "<script src=\"app.js\"></script>",
                           "Executor 2 was killed for its memory", "<noscript>", "href=\"api/v1/report\""}) {
    EXPECT_THAT(*page.body, HasSubstr(text));
  }
  for (const char* forbidden :
       {"<script>", "<style", " style=\"", "onload", "onclick", "<html", "<body", "href=\"/", "src=\"/", "http://", "https://"}) {
    EXPECT_THAT(*page.body, Not(HasSubstr(forbidden))) << "not within Spark's policy, or not behind a proxy";
  }
}

TEST_F(Pages, TheAppsFilesAreThoseBuiltIn) {
  EXPECT_EQ(*Ask("app.js").body, AppScript());
  EXPECT_EQ(*Ask("app.css").body, AppStyle());
  EXPECT_THAT(Ask("app.js").content_type, HasSubstr("text/javascript"));
  EXPECT_THAT(Ask("app.css").content_type, HasSubstr("text/css"));
}

TEST_F(Pages, TheLongAnswersAreMadeOnce) {
  for (const char* path : {"", "api/v1/report", "app.js", "app.css"}) EXPECT_EQ(Ask(path).body, Ask(path).body) << path;
}

TEST_F(Pages, HeadlinesOfUsersAreEscaped) {
  Report hostile;
  hostile.post_mortems.emplace_back().headline = testing::kHostile;
  ReportPages pages{hostile};
  EXPECT_THAT(*pages.Answer("", "").body, HasSubstr("<p>" + EscapeHtml(testing::kHostile) + "</p>"));
}

TEST_F(Pages, PartsAreThoseOfTheWhole) {
  json whole = Json("api/v1/report");
  ASSERT_EQ(whole["stages"].size(), 3u);
  for (const json& stage : whole["stages"]) {
    std::string path = "/api/v1/stages/" + stage["stageId"].dump() + "/" + stage["attempt"].dump();
    EXPECT_EQ(Json(path), stage);
  }
  EXPECT_EQ(Json("api/v1/executors")["executors"], whole["executors"]);
  json rows = Json("api/v1/stages")["stages"];
  for (size_t i = 0; i < rows.size(); ++i) {
    json brief = whole["stages"][i];
    EXPECT_EQ(brief.erase("taskRows"), 1u);
    for (const char* key : {"sites", "lines"}) {
      EXPECT_EQ(brief.erase(key), 1u);
      EXPECT_EQ(brief["otherAttempts"].erase(key), 1u);
    }
    EXPECT_EQ(rows[i], brief);
  }
}

TEST_F(Pages, RowsComeByThePage) {
  auto ids = [&](std::string_view query) {
    json page = Json("api/v1/stages", query);
    EXPECT_EQ(page["total"], 3);
    std::vector<int> found;
    for (const json& row : page["stages"]) found.push_back(row["stageId"]);
    return found;
  };
  using Ids = std::vector<int>;
  EXPECT_EQ(ids(""), (Ids{0, 2, 3}));
  EXPECT_EQ(ids("offset=1&length=1"), (Ids{2}));
  EXPECT_EQ(ids("length=2"), (Ids{0, 2}));
  EXPECT_EQ(ids("offset=2&length=1000"), (Ids{3}));
  EXPECT_EQ(ids("offset=9223372036854775807&length=1000"), Ids{});
  EXPECT_EQ(ids("&&offset=0&offset=2&doAs=x&lengths=7"), (Ids{3})) << "the last counts, others' are ignored";
}

TEST_F(Pages, TasksOfAStageComeByThePage) {
  const json whole = Json("api/v1/stages/2/0")["taskRows"];
  ASSERT_GT(whole["taskAttemptIds"].size(), 2u);
  const json page = Json("api/v1/stages/2/0/tasks", "offset=1&length=1");
  EXPECT_EQ(page["total"], whole["taskAttemptIds"].size());
  EXPECT_EQ(page["taskRows"]["taskAttemptIds"], json({whole["taskAttemptIds"][1]}));
  EXPECT_EQ(Ask("api/v1/stages/2/0/tasks", "length=0").status, 400);
  EXPECT_EQ(Ask("api/v1/stages/99/0/tasks").status, 404);
}

TEST_F(Pages, WrongRequestsAreRefused) {
  for (const char* query : {"offset=-1", "offset=", "offset", "offset=1x", "offset=+1", "offset=9223372036854775808", "length=0",
                            "length=1001", "length=-5", "length=%31"}) {
    PageAnswer answer = Ask("api/v1/stages", query);
    EXPECT_EQ(answer.status, 400) << query;
    EXPECT_THAT(answer.content_type, HasSubstr("text/plain"));
    EXPECT_THAT(*answer.body, HasSubstr("must be a whole number"));
  }
  for (const char* path : {"api/v1/stages/", "api/v1/stages/2", "api/v1/stages/2/", "api/v1/stages/2/0/", "api/v1/stages/x/0",
                           "api/v1/stages/2/-1", "api/v1/stages/2147483648/0"}) {
    EXPECT_EQ(Ask(path).status, 400) << path;
  }
  for (const char* path : {"api/v1/stages/2/1", "api/v1/stages/1/0", "api", "api/v1/report/", "//", "../report", "APP.CSS", "style.css"}) {
    EXPECT_EQ(Ask(path).status, 404) << path;
  }
}

}  // namespace
}  // namespace memprof
