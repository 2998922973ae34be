#include "profile/driver_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "proto/memprof.pb.h"

namespace memprof {
namespace {

proto::DriverSource CellOf(const std::string& file, uint32_t number, const std::string& text) {
  proto::Envelope envelope;
  EXPECT_TRUE(envelope.ParseFromString(CellMessage(file, number, text, *Redaction::Make(Redaction::kDefault))));
  EXPECT_EQ(envelope.symbols().driver_sources_size(), 1);
  return envelope.symbols().driver_sources(0);
}

TEST(CellMessage, HasTheCellsNumberAndItsLinesAsTheyMayBeShown) {
  const proto::DriverSource cell = CellOf("/tmp/ipykernel_77/1234567.py", 12, "def f(_):\n\n    block = 1\n    password = 'x'");
  EXPECT_EQ(cell.file(), "notebook cell 1234567") << "as executors call it";
  EXPECT_EQ(cell.number(), 12u);
  EXPECT_EQ(cell.text(), "def f(_):\n\nblock = 1\n(redacted)\n");
}

TEST(CellMessage, WithoutTextHasTheNumber) {
  const proto::DriverSource cell = CellOf("<ipython-input-7-5ac0ffee>", 7, "");
  EXPECT_EQ(cell.file(), "notebook cell 7");
  EXPECT_EQ(cell.text(), "");
}

TEST(CellMessage, WhatWasTypedAtPythonsPromptKeepsItsName) {
  const proto::DriverSource typed = CellOf("<python-input-3>", 0, "def f(_):\n    block = 1\n");
  EXPECT_EQ(typed.file(), "<python-input-3>");
  EXPECT_EQ(typed.number(), 0u);
  EXPECT_EQ(typed.text(), "def f(_):\nblock = 1\n");
  EXPECT_EQ(CellMessage("<python-input-3>", 0, "", *Redaction::Make(Redaction::kDefault)), "");
}

TEST(CellMessage, KnowsTheNamesOfAllPrompts) {
  for (const char* name : {"<python-input-17>", "<stdin-2>", "<stdin>-0"}) EXPECT_EQ(CellOf(name, 0, "x = 1").file(), name);
}

TEST(CellMessage, IsOfCellsOnly) {
  const Redaction redaction = *Redaction::Make(Redaction::kDefault);
  EXPECT_EQ(CellMessage("/opt/jobs/job.py", 3, "x = 1", redaction), "");
  EXPECT_EQ(CellMessage("<stdin>", 3, "x = 1", redaction), "");
}

TEST(CellMessage, AVeryLongCellIsCut) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "x = 1\n";
  const std::string shown = CellOf("/tmp/ipykernel_77/12.py", 1, text).text();
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 1000);
}

TEST(ScriptMessage, HasThePathAndTheLinesAsTheyMayBeShown) {
  proto::Envelope envelope;
  const Redaction redaction = *Redaction::Make(Redaction::kDefault);
  ASSERT_TRUE(envelope.ParseFromString(ScriptMessage("/jobs/job.py", "\n  def f(_):\r\n    token = 'x'", redaction)));
  const proto::DriverSource& script = envelope.symbols().driver_sources(0);
  EXPECT_EQ(script.file(), "/jobs/job.py");
  EXPECT_EQ(script.number(), 0u);
  EXPECT_EQ(script.text(), "\ndef f(_):\n(redacted)\n");
  EXPECT_EQ(ScriptMessage("job.py", "x = 1", redaction), "") << "it is not known whose folder that is in";
}

}  // namespace
}  // namespace memprof
