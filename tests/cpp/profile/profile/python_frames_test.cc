#include "profile/python_frames.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

BoxFrame Frame(const char* function, const char* file, uint32_t line, uint32_t first_line) {
  BoxFrame frame;
  frame.language = Language::kPython;
  frame.function = function;
  frame.file = file;
  frame.line = line;
  frame.first_line = first_line;
  return frame;
}

TEST(PythonFramework, IsWhereTheWorkerComesFrom) {
  const std::vector<BoxFrame> frames = {
      Frame("_run_code", "<frozen runpy>", 88, 1),
      Frame("main", "/opt/spark/python/lib/pyspark.zip/pyspark/worker.py", 1200, 1100),
      Frame("dump", "/opt/spark/python/lib/pyspark.zip/pyspark/sql/pandas/serializers.py", 10, 1),
      Frame("wrapped", "/tmp/app/sparkmemprof/daemon.py", 10, 1),
      Frame("mine", "/jobs/pyspark/job.py", 10, 1),
      Frame("numpy", "/venv/lib/numpy/core.py", 10, 1),
  };
  const PythonFramework framework(frames);
  std::vector<bool> inside;
  for (const BoxFrame& frame : frames) inside.push_back(framework.Contains(frame));
  EXPECT_EQ(inside, (std::vector<bool>{true, true, true, true, false, false}));
}

TEST(PythonFramework, HoldsWhatBeginsAProgram) {
  const std::vector<BoxFrame> frames = {
      Frame("_profile", "/venv/lib/sparkmemprof/startup/sitecustomize.py", 30, 25),
      Frame("start", "/venv/lib/sparkmemprof/program.py", 70, 60),
      Frame("load_hooks", "/venv/lib/sparkmemprof/worker.py", 30, 20),
      Frame("mine", "/jobs/program.py", 10, 1),
  };
  const PythonFramework framework(frames);
  std::vector<bool> inside;
  for (const BoxFrame& frame : frames) inside.push_back(framework.Contains(frame));
  EXPECT_EQ(inside, (std::vector<bool>{true, true, true, false}));
}

class Udfs : public testing::Test {
 protected:
  const BoxFrame machinery_ = Frame("main", "/spark/pyspark/worker.py", 1200, 1100);
  const BoxFrame outer_ = Frame("outer", "/jobs/a.py", 12, 10);
  const BoxFrame inner_ = Frame("inner", "/jobs/a.py", 22, 20);
  const PythonFramework framework_{{machinery_}};
  const BoxUdf outer_udf_{"outer", "/jobs/a.py", "BATCHED_UDF", 10};
  const BoxUdf inner_udf_{"make.<locals>.inner", "/jobs/a.py", "BATCHED_UDF", 20};
};

TEST_F(Udfs, TheOutermostFrameThatIsOneCounts) {
  EXPECT_EQ(UdfOf({&machinery_, &outer_, &inner_}, {inner_udf_, outer_udf_}, framework_), 2u);
  EXPECT_EQ(UdfOf({&machinery_, &inner_}, {inner_udf_, outer_udf_}, framework_), 1u);
}

TEST_F(Udfs, OutsideOfAllTheOnlyOneIsTaken) {
  const BoxFrame helper = Frame("helper", "/jobs/a.py", 42, 40), library = Frame("array", "/venv/lib/python3.11/site-packages/x.py", 9, 1);
  EXPECT_EQ(UdfOf({&machinery_, &helper}, {inner_udf_}, framework_), 1u);
  EXPECT_EQ(UdfOf({&library}, {inner_udf_}, framework_), 1u) << "its outer frames were cut off";
  EXPECT_EQ(UdfOf({}, {inner_udf_}, framework_), 1u);
  EXPECT_EQ(UdfOf({&machinery_}, {BoxUdf{"job.py", "", "PROGRAM", 0}}, framework_), 1u) << "without Spark";
  EXPECT_EQ(UdfOf({&machinery_}, {inner_udf_, outer_udf_}, framework_), 0u);
  EXPECT_EQ(UdfOf({&machinery_}, {}, framework_), 0u);
}

TEST_F(Udfs, WhatTheFrameworkDoesByItselfIsNoUdfs) {
  const BoxFrame batch = Frame("load_stream", "/spark/pyspark/sql/pandas/serializers.py", 340, 300);
  const BoxFrame caches = Frame("invalidate_caches", "/usr/lib/python3.11/importlib/__init__.py", 70, 66);
  const BoxFrame frozen = Frame("_path_join", "<frozen importlib._bootstrap_external>", 128, 126);
  EXPECT_EQ(UdfOf({&machinery_, &batch}, {inner_udf_}, framework_), 0u);
  EXPECT_EQ(UdfOf({&machinery_, &caches, &frozen}, {inner_udf_}, framework_), 0u);
  const BoxFrame pandas = Frame("concat", "/venv/lib/python3.11/site-packages/pandas/core/concat.py", 9, 1);
  const BoxFrame wrapper = Frame("validate", "/venv/lib/python3.11/site-packages/wrapper/checks.py", 9, 1);
  EXPECT_EQ(UdfOf({&machinery_, &batch, &pandas}, {inner_udf_}, framework_), 0u);
  EXPECT_EQ(UdfOf({&machinery_, &wrapper, &pandas}, {inner_udf_}, framework_), 1u) << "which a package has wrapped";
  EXPECT_EQ(UdfOf({&machinery_, &inner_, &batch}, {inner_udf_}, framework_), 1u) << "which asks for the next batch itself";
}

TEST_F(Udfs, AFunctionWithAnotherNameIsFoundByItsPlace) {
  const BoxFrame closure = Frame("u", "/jobs/a.py", 32, 30);
  const BoxUdf first{"price_0", "/jobs/a.py", "BATCHED_UDF", 30}, second{"price_1", "/jobs/a.py", "BATCHED_UDF", 30};
  const BoxUdf plain{"make.<locals>.u", "/jobs/a.py", "BATCHED_UDF", 30};
  EXPECT_EQ(UdfOf({&machinery_, &closure}, {inner_udf_, first, second}, framework_), 2u);
  EXPECT_EQ(UdfOf({&machinery_, &closure}, {inner_udf_, first, plain}, framework_), 3u) << "its own name counts more";
  EXPECT_EQ(UdfOf({&machinery_, &closure, &inner_}, {inner_udf_, first}, framework_), 2u);
}

TEST_F(Udfs, ThoseOfOnePlaceAreOneWithAllNames) {
  const BoxUdf first{"price_0", "/jobs/a.py", "BATCHED_UDF", 30}, second{"price_1", "/jobs/a.py", "BATCHED_UDF", 30};
  const BoxUdf of_other_kind{"price_2", "/jobs/a.py", "SCALAR_PANDAS_UDF", 30};
  const std::vector<BoxUdf> udfs = {first, inner_udf_, second, of_other_kind};
  EXPECT_EQ(WithNamesOfItsPlace(first, udfs).name, "price_0, price_1");
  EXPECT_EQ(WithNamesOfItsPlace(second, udfs).name, "price_0, price_1");
  EXPECT_EQ(WithNamesOfItsPlace(of_other_kind, udfs).name, "price_2");
  EXPECT_EQ(WithNamesOfItsPlace(inner_udf_, udfs).name, "make.<locals>.inner");
}

TEST_F(Udfs, AnotherFunctionOfTheSameNameIsNotIt) {
  const BoxFrame elsewhere = Frame("outer", "/jobs/b.py", 12, 10);
  const BoxFrame later = Frame("outer", "/jobs/a.py", 52, 50);
  EXPECT_EQ(UdfOf({&elsewhere, &later}, {inner_udf_, outer_udf_}, framework_), 0u);
}

}  // namespace
}  // namespace memprof
