#include "boxes/python_sessions.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sites/recorder.h"

namespace memprof {
namespace {

class PythonSessionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "python_sessions_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    const Result<Recorder*> made = Recorder::Create({folder_.c_str(), "app-1", "7", 65536, "3.11.7"});
    ASSERT_TRUE(made.ok()) << made.status().message();
    recorder_ = *made;
    recorder_->OpenSession({41, 0, 0, 0, 0});
  }
  void TearDown() override {
    Recorder::AbandonInChild(recorder_);
    std::filesystem::remove_all(folder_);
  }

  // A file beside the box, with a name like it.
  void WriteAnother(const std::string& content) const {
    const std::string path = std::string(recorder_->box_path()) + "2.box";
    std::ofstream(path) << content;
    ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  }

  std::string folder_;
  Recorder* recorder_ = nullptr;
};

TEST_F(PythonSessionsTest, ABoxThatIsJustBeingMadeIsNotUnreadable) {
  WriteAnother("");
  EXPECT_EQ(FindSessions({folder_, "app-1", "7"}, 41).unreadable, 0u);
  WriteAnother(std::string(65536, '\0'));
  EXPECT_EQ(FindSessions({folder_, "app-1", "7"}, 41).unreadable, 0u);
  EXPECT_EQ(FindSessions({folder_, "app-1", "7"}, 41).sessions.size(), 1u);
}

TEST_F(PythonSessionsTest, ABoxThatIsNoneIsUnreadable) {
  WriteAnother(std::string(65536, 'x'));
  EXPECT_EQ(FindSessions({folder_, "app-1", "7"}, 41).unreadable, 1u);
}

}  // namespace
}  // namespace memprof
