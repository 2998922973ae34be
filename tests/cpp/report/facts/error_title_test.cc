#include "facts/error_title.h"

#include <gtest/gtest.h>

#include "base/cut_text.h"

namespace memprof {
namespace {

TEST(ErrorTitle, IsTheFirstLineThatSaysSomething) {
  EXPECT_EQ(ErrorTitle(""), "");
  EXPECT_EQ(ErrorTitle("\n \n"), "");
  EXPECT_EQ(ErrorTitle("\n  java.io.IOException: crashed\r\n\tat X.y(X.java:3)"), "java.io.IOException: crashed");
}

TEST(ErrorTitle, IsThePythonExceptionOfATraceback) {
  EXPECT_EQ(ErrorTitle("org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n"
                       "  File \"/w/worker.py\", line 3, in main\n    process()\n"
                       "  File \"/jobs/job.py\", line 17, in bad\n    raise ValueError(\"on purpose\")\n"
                       "ValueError: on purpose\n\n\tat org.apache.spark.Foo.bar(Foo.scala:1)\nCaused by: other"),
            "ValueError: on purpose");
  EXPECT_EQ(
      ErrorTitle("E: Traceback (most recent call last):\n  File \"a\"\nKeyError: 1\n\nDuring handling of the above exception, another "
                 "exception occurred:\n\nTraceback (most recent call last):\n  File \"b\"\nTypeError: 2\n"),
      "TypeError: 2");
}

TEST(ErrorTitle, OfACutTracebackIsItsBeginning) {
  EXPECT_EQ(ErrorTitle("E: Traceback (most recent call last):\n  File \"a\""), "E: Traceback (most recent call last):");
  EXPECT_EQ(ErrorTitle("E: Traceback (most recent call last):\n  File \"a...\nCaused by: X"), "E: Traceback (most recent call last):");
}

TEST(FatalError, IsTheErrorOrACause) {
  EXPECT_EQ(FatalError(""), "");
  EXPECT_EQ(FatalError("FetchFailed(BlockManagerId(2), message=\nX: failed\nCaused by: java.lang.OutOfMemoryError: of a peer"), "");
  EXPECT_EQ(FatalError("java.io.IOException: java.lang.OutOfMemoryError: in a text"), "");
  EXPECT_EQ(FatalError("org.apache.spark.memory.SparkOutOfMemoryError: none left\n\tat X.y(X.java:3)"), "");
  EXPECT_EQ(FatalError("java.lang.OutOfMemoryError: Java heap space\n\tat X.y(X.java:3)"), "java.lang.OutOfMemoryError: Java heap space");
  const std::string cause =
      "io.netty.util.internal.OutOfDirectMemoryError: failed to allocate 7 byte(s) of direct memory (used: 3, max: 5)";
  EXPECT_EQ(FatalError("FetchFailedException: Block failed\n\tat X.y(X.java:3)...\nCaused by: " + cause + "\r\n\tat Z"), cause);
  EXPECT_EQ(FatalError("java.lang.OutOfMemoryError: " + std::string(999, 'x')).size(), 240u);
}

TEST(ErrorTitle, IsCutBetweenCharacters) {
  std::string text(239, 'x');
  EXPECT_EQ(ErrorTitle(text + "é and more"), text);
  EXPECT_EQ(CutText("é", 1), "");
  EXPECT_EQ(CutText("é", 2), "é");
}

}  // namespace
}  // namespace memprof
