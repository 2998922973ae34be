#include "profile/task_message.h"

#include <gtest/gtest.h>

#include <string>

#include "proto/envelope.h"

namespace memprof {
namespace {

BoxSession SessionOf(int lines) {
  BoxSession session;
  session.task_attempt_id = 7;
  for (int i = 0; i < lines; ++i) {
    session.frames.push_back(
        {.language = Language::kPython, .function = "load", .file = "/app/job.py", .line = 10u + static_cast<uint32_t>(i)});
    session.stacks.push_back({.parent = 0, .frame = static_cast<uint32_t>(i)});
    session.sites.push_back({.origin = Origin::kPython, .stack = static_cast<uint32_t>(i + 1), .allocated_bytes = 1'000'003});
  }
  return session;
}

SourceCalls NoCalls(const std::string&, const std::string&, uint64_t) { return {}; }

TEST(TaskMessage, TakesAtMostItsRoomAndItsTotalsAddUp) {
  constexpr int kLines = 500;
  for (const size_t room : {600u, 2000u, 9000u, 200'000u}) {
    TaskMessage message("exec-13");
    message.profile()->set_task_attempt_id(7);
    message.AddSessions({{BoxIdentity(), SessionOf(kLines)}}, {NoCalls, "/app"});
    const BuiltMessage built = message.Build(room);
    ASSERT_LE(built.envelope.size(), room);
    proto::Envelope envelope;
    ASSERT_TRUE(envelope.ParseFromString(built.envelope));
    EXPECT_EQ(envelope.schema_version(), kSchemaVersion);
    EXPECT_EQ(envelope.executor_id(), "exec-13");
    uint64_t sum = 0;
    for (const proto::Site& site : envelope.task().sites()) sum += site.allocated_bytes();
    for (const proto::Remainder& rest : envelope.task().remainders()) sum += rest.allocated_bytes();
    EXPECT_EQ(sum, kLines * 1'000'003u) << room;
    EXPECT_EQ(built.user_lines.size(), static_cast<size_t>(envelope.task().frames_size())) << "lines of frames that are in it";
  }
}

}  // namespace
}  // namespace memprof
