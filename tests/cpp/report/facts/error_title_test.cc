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
}

TEST(ErrorTitle, IsCutBetweenCharacters) {
  std::string text(239, 'x');
  EXPECT_EQ(ErrorTitle(text + "é and more"), text);
  EXPECT_EQ(CutText("é", 1), "");
  EXPECT_EQ(CutText("é", 2), "é");
}

}  // namespace
}  // namespace memprof
