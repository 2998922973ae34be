// One report as web pages, by path, for the Memory tab of Spark's UI and of its History Server. Paths, their parameters and the
// texts of refusals are decided here; the servers only forward. Answers are made on the first request; the long ones (the whole
// JSON, the app's files) are kept.
//
//   ""                                the page, to be framed by the server    text/html
//   app.js, app.css                   the browser app, which the page starts  text/javascript, text/css
//   api/v1/report                     report.json; ?fresh=true                application/json
//   api/v1/executors, api/v1/stages   rows; ?offset=0&length=100
//   api/v1/stages/<id>/<attempt>        one stage with its sites
//   api/v1/stages/<id>/<attempt>/tasks  rows of its tasks, all of them; ?offset=0&length=100
//
// Not thread-safe; answers may be read from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "report/model.h"
#include "report/views/html.h"

namespace memprof {

struct PageAnswer {
  int status = 200;  // HTTP's; 400 and 404 have a sentence in plain text that says what to ask for
  const char* content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;
};

// "fresh=true" in a query: an older report must not be used. For callers that keep reports.
bool AsksForFresh(std::string_view query);

class ReportPages {
 public:
  explicit ReportPages(Report report, Time time = Time::kLive) : report_(std::move(report)), time_(time) {}

  // `path` is decoded, below the tab, with or without its first slash; `query` is as in the URL, without "?". Parameters that
  // the path doesn't take are ignored: proxies and sign-in filters add their own.
  PageAnswer Answer(std::string_view path, std::string_view query);

 private:
  PageAnswer Stage(std::string_view id_and_attempt, std::string_view query) const;

  Report report_;
  Time time_;
  std::shared_ptr<const std::string> page_, json_, script_, style_;
};

}  // namespace memprof
