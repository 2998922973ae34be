#include "report/titles.h"

#include <gtest/gtest.h>

#include <string>

namespace memprof {
namespace {

ReportFrame Java(const std::string& module, const std::string& function, const char* file, uint32_t line) {
  return {Language::kJava, function, file, module, line, "", std::nullopt};
}

TEST(Titles, JavaNamesLoseTheirPackage) {
  EXPECT_EQ(FrameTitle(Java("org.apache.spark.sql.Foo$Bar", "copy", "Foo.scala", 3)), "Foo$Bar.copy");
  EXPECT_EQ(FrameTitle(Java("", "org.apache.spark.sql.Foo.copy", "Foo.scala", 3)), "Foo.copy");
  EXPECT_EQ(FrameTitle(Java("", "main", "", 0)), "main");
}

TEST(Titles, LinesOfAPlanNameEachFileOnce) {
  ReportAction action;
  EXPECT_EQ(BuiltAtPhrase(action), "");
  action.built_at = {{"/jobs/job.py", 3}, {"/jobs/job.py", 9}, {"notebook cell 12", 2}, {"/jobs/job.py", 17}};
  EXPECT_EQ(BuiltAtPhrase(action), "job.py:3, 9; notebook cell 12, line 2; job.py:17");
}

TEST(Titles, NativeCodeWithoutNameIsModuleAndOffset) {
  ReportFrame frame{Language::kNative, "", "", "/opt/lib/libarrow.so.2000", 0, "ab", 0x1230};
  EXPECT_EQ(FrameTitle(frame), "libarrow.so.2000+0x1230");
  EXPECT_EQ(FramePlace(frame), "libarrow.so.2000");
}

TEST(Titles, ExtensionModulesLoseTheirTag) {
  ReportFrame frame{Language::kNative, "array_empty", "", "/x/numpy/_umath.cpython-311-x86_64-linux-gnu.so", 0, "", std::nullopt};
  EXPECT_EQ(FramePlace(frame), "_umath.so");
}

TEST(Titles, FilesOfPackagesKeepWhatTellsThemApart) {
  EXPECT_EQ(FileTitle("/jobs/job.py"), "job.py");
  EXPECT_EQ(FileTitle("/venv/lib/python3.11/site-packages/pandas/core/frame.py"), "pandas/core/frame.py");
  EXPECT_EQ(FileTitle("/pex/installed_wheels/5a/pandas-1.5.3-cp311.whl/pandas/core/frame.py"), "pandas/core/frame.py");
  EXPECT_EQ(FileTitle("/usr/lib/python3/importlib/__init__.py"), "importlib/__init__.py");
  EXPECT_EQ(FileTitle("__init__.py"), "__init__.py");
  EXPECT_EQ(FileTitle("/__init__.py"), "/__init__.py");
}

TEST(Titles, WhatWasShippedInAnArchiveIsNamedWithIt) {
  EXPECT_EQ(FileTitle("helpers.zip/helpers/mod.py"), "helpers.zip/helpers/mod.py");
  EXPECT_EQ(FileTitle("/opt/jobs/helpers.egg/mod.py"), "helpers.egg/mod.py");
  EXPECT_EQ(FramePlace({Language::kPython, "f", "helpers.zip/helpers/mod.py", "", 7, "", std::nullopt}), "helpers.zip/helpers/mod.py:7");
}

TEST(Titles, CellsAndCodeWithoutAFile) {
  EXPECT_EQ(FramePlace({Language::kPython, "f", "notebook cell 456", "", 3, "", std::nullopt}), "notebook cell 456, line 3");
  EXPECT_EQ(FramePlace({Language::kPython, "f", "<stdin>", "", 12, "", std::nullopt}), "<stdin>:12");
  EXPECT_EQ(UdfTitle({"f", "", "notebook cell 456", 2}), "f (notebook cell 456, line 2)");
}

TEST(Titles, UdfHasItsPlace) {
  EXPECT_EQ(UdfTitle({"aggregate", "RDD", "/jobs/job.py", 41}), "aggregate (job.py:41)");
  EXPECT_EQ(UdfTitle({"aggregate", "RDD", "/jobs/job.py", 0}), "aggregate (job.py)");
  EXPECT_EQ(UdfTitle({"outer.<locals>.make.<locals>.u", "RDD", "/jobs/job.py", 41}), "u (job.py:41)");
  EXPECT_EQ(UdfTitle({"Doubling.eval", "TABLE_UDF", "/jobs/job.py", 41}), "Doubling.eval (job.py:41)");
  EXPECT_EQ(UdfTitle({"<lambda>", "", "", 7}), "<lambda>");
}

TEST(Titles, AJavaSiteIsKnownByWhoAskedTheJdk) {
  ReportSite site;
  EXPECT_EQ(LeadFrame(site.frames), nullptr);
  site.frames = {Java("org.apache.spark.A", "a", "A.scala", 1), Java("java.util.Arrays", "copyOf", "Arrays.java", 2)};
  EXPECT_EQ(LeadFrame(site.frames)->function, "a");
  site.frames.erase(site.frames.begin());
  EXPECT_EQ(LeadFrame(site.frames)->function, "copyOf");
  const std::string codegen = "org.apache.spark.sql.catalyst.expressions.codegen.";
  site.frames = {Java("", codegen + "GeneratedClass.processNext", "generated.java", 7),
                 Java("", codegen + "UnsafeWriter.write", "UnsafeWriter.java", 110),
                 Java("", codegen + "BufferHolder.grow", "BufferHolder.java", 79)};
  EXPECT_EQ(LeadFrame(site.frames)->function, codegen + "GeneratedClass.processNext");
  const std::string sorter = "org.apache.spark.util.collection.unsafe.sort.UnsafeExternalSorter.";
  site.frames = {Java("", sorter + "acquireNewPageIfNecessary", "UnsafeExternalSorter.java", 421),
                 Java("", "org.apache.spark.memory.MemoryConsumer.allocatePage", "MemoryConsumer.java", 116),
                 Java("", "org.apache.spark.memory.TaskMemoryManager.allocatePage", "TaskMemoryManager.java", 337)};
  EXPECT_EQ(LeadFrame(site.frames)->function, sorter + "acquireNewPageIfNecessary");
}

}  // namespace
}  // namespace memprof
