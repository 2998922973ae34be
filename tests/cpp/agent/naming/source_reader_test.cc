#include "naming/source_reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "temporary_directory.h"

namespace memprof {
namespace {

class SourceReaderTest : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(folder_ + "/job.py") << "first = 1\nsecond = 2\npassword = 3\n"; }
  void TearDown() override { reader_.Stop(); }
  void Start() {
    const auto see = [this](proto::Symbols message) {
      for (const proto::SourceLine& line : message.source_lines())
        ++seen_[line.file() + ":" + std::to_string(line.line()) + " " + line.text()];
    };
    const Status status = reader_.Start(*Redaction::Make(Redaction::kDefault), see, 60);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  SourceLineKey Key(uint32_t line) const { return {folder_ + "/job.py", "job.py", line}; }

  TemporaryDirectory directory_;
  const std::string folder_ = directory_.path();
  std::map<std::string, int> seen_;  // read after Stop()
  SourceReader reader_;
};

using Seen = std::map<std::string, int>;

TEST_F(SourceReaderTest, EachLineIsSentOnceAndAllBeforeItStops) {
  Start();
  reader_.Want({Key(1), Key(3)});
  reader_.Want({Key(1), Key(2), {folder_ + "/gone.py", "gone.py", 1}});
  reader_.Stop();
  EXPECT_EQ(seen_, (Seen{{"job.py:1 first = 1", 1}, {"job.py:2 second = 2", 1}, {"job.py:3 (redacted)", 1}}));
}

TEST_F(SourceReaderTest, NothingWhileItIsNotStarted) {
  reader_.Want({Key(1)});
  Start();
  reader_.Stop();
  reader_.Want({Key(2)});
  EXPECT_EQ(seen_, Seen());
}

TEST_F(SourceReaderTest, TheNextApplicationGetsItsLinesAnew) {
  for (int round = 0; round < 2; ++round) {
    Start();
    reader_.Want({Key(2)});
    reader_.Stop();
  }
  EXPECT_EQ(seen_, (Seen{{"job.py:2 second = 2", 2}}));
}

}  // namespace
}  // namespace memprof
