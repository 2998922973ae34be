#include <gtest/gtest.h>

#include "report/model.h"
#include "report/views/views.h"

namespace memprof {
namespace {

Report Finished() {
  Report report;
  report.application.ended_ms = 1;
  return report;
}

TEST(CallsForAction, NotWhenAllWentWell) { EXPECT_FALSE(CallsForAction(Finished())); }

TEST(CallsForAction, ADeath) {
  Report report = Finished();
  report.post_mortems.emplace_back();
  EXPECT_TRUE(CallsForAction(report));
}

TEST(CallsForAction, AFinding) {
  Report report = Finished();
  report.findings.emplace_back();
  EXPECT_TRUE(CallsForAction(report));
}

TEST(CallsForAction, AnEndThatWasNotSeen) {
  Report report = Finished();
  report.unfinished = true;
  EXPECT_TRUE(CallsForAction(report));
  report.unfinished = false;
  report.application.ended_ms.reset();
  EXPECT_TRUE(CallsForAction(report));
}

}  // namespace
}  // namespace memprof
