#include "base/installed_code.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(InstalledCode, PackagesTheStandardLibraryAndPySparkAreNotTheUsers) {
  EXPECT_TRUE(IsInstalledCode("/venv/lib/python3.11/site-packages/pandas/core/frame.py"));
  EXPECT_TRUE(IsInstalledCode("/usr/lib/python3.11/json/decoder.py"));
  EXPECT_TRUE(IsInstalledCode("/usr/lib64/python3.9/json/decoder.py")) << "Red Hat's and Amazon's";
  EXPECT_TRUE(IsInstalledCode("/srv/pex/installed_wheels/5a/pandas-1.5.3-cp311.whl/pandas/core/frame.py"));
  EXPECT_TRUE(IsInstalledCode("/srv/pex/unzipped_pexes/5a/.deps/numpy-1.24.whl/numpy/core/numeric.py"));
  EXPECT_FALSE(IsInstalledCode("/srv/pex/unzipped_pexes/5a/job.py"));
  EXPECT_FALSE(IsInstalledCode("/srv/spark-5a/job-1.0-py3-none-any.whl/job/etl.py")) << "--py-files";
  EXPECT_TRUE(IsInstalledCode("<frozen importlib._bootstrap>"));
  EXPECT_TRUE(IsInstalledCode("/opt/spark/python/lib/pyspark.zip/pyspark/sql/dataframe.py"));
  EXPECT_TRUE(IsInstalledCode("/opt/spark/python/lib/py4j-0.10.9.7-src.zip/py4j/java_gateway.py"));
  EXPECT_TRUE(IsInstalledCode("/opt/spark/python/pyspark/sql/dataframe.py"));
  EXPECT_TRUE(IsInstalledCode("pyspark.zip/pyspark/sql/dataframe.py"));
  EXPECT_TRUE(IsInstalledCode("/opt/spark/python/pyspark/rdd.py"));
  EXPECT_TRUE(IsInstalledCode("/opt/spark/python/pyspark/core/rdd.py"));
  EXPECT_FALSE(IsInstalledCode("/jobs/pyspark/job.py"));
  for (const char* file : {"/repo/python/pyspark/job.py", "/repo/python/pyspark/jobs/sql.py", "/repo/python/pyspark/r",
                           "/repo/python/pyspark/", "/repo/python/pyspark/rdd.py worker.py"}) {
    EXPECT_FALSE(IsInstalledCode(file)) << file;
  }
  EXPECT_FALSE(IsInstalledCode("my_pyspark.zip/job.py"));
  EXPECT_FALSE(IsInstalledCode("/jobs/helpers.zip/helpers.py"));
}

TEST(InstalledCode, ThePathBelowThePackages) {
  EXPECT_EQ(InPackages("/venv/lib/python3.11/site-packages/pandas/core/frame.py"), "pandas/core/frame.py");
  EXPECT_EQ(InPackages("/srv/pex/installed_wheels/5a/pandas-1.5.3-cp311.whl/pandas/core/frame.py"), "pandas/core/frame.py");
  EXPECT_EQ(InPackages("/jobs/job-1.0-py3-none-any.whl/job/etl.py"), "");
  EXPECT_EQ(InPackages("/usr/lib/python3.11/json/decoder.py"), "");
}

TEST(InstalledCode, WhatIsMadeWhileAProgramRunsAndWhatIsTyped) {
  for (const char* file : {"<string>", "<__array_function__ internals>", "<attrs generated init job.Row>"}) {
    EXPECT_TRUE(IsGeneratedCode(file)) << file;
  }
  for (const char* file : {"<stdin>", "<stdin>-3", "<stdin-3>", "<python-input-3>", "<ipython-input-7-5ac0ffee>", "<command-12>",
                           "<timed exec>", "<doctest job[0]>", "<frozen runpy>", "/jobs/job.py", ""}) {
    EXPECT_FALSE(IsGeneratedCode(file)) << file;
  }
}

}  // namespace
}  // namespace memprof
