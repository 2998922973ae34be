#include "base/own_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "temporary_directory.h"

namespace memprof {
namespace {

class OwnDescriptorTest : public ::testing::Test {
 protected:
  int Open(const char* name) const { return open((directory_.path() + "/" + name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); }

  TemporaryDirectory directory_;
};

TEST_F(OwnDescriptorTest, IsOursUntilItIsClosed) {
  OwnDescriptor own;
  EXPECT_EQ(own.Get(), -1);
  const int number = Open("ours");
  own.Take(number);
  EXPECT_EQ(own.Get(), number);
  own.Close();
  EXPECT_EQ(own.Get(), -1);
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
}

TEST_F(OwnDescriptorTest, AFileOfTheProgramsUnderItsNumberIsLeftAlone) {
  OwnDescriptor own;
  const int number = Open("ours");
  own.Take(number);
  close(number);
  errno = 17;
  EXPECT_EQ(own.Get(), -1);
  EXPECT_EQ(errno, 17);
  ASSERT_EQ(Open("the program's"), number) << "the lowest that is free";
  EXPECT_EQ(own.Get(), -1);
  own.Close();
  EXPECT_NE(fcntl(number, F_GETFD), -1);
  close(number);
}

TEST_F(OwnDescriptorTest, NoneIsNone) {
  OwnDescriptor own;
  own.Take(-1);
  EXPECT_EQ(own.Get(), -1);
  own.Close();
}

}  // namespace
}  // namespace memprof
