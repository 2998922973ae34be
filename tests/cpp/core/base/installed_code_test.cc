#include "base/installed_code.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(InstalledCode, PackagesTheStandardLibraryAndPySparkAreNotTheUsers) {
  EXPECT_TRUE(IsInstalledCode("/venv/lib/python3.11/site-packages/pandas/core/frame.py"));
  EXPECT_TRUE(IsInstalledCode("/usr/lib/python3.11/json/decoder.py"));
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

}  // namespace
}  // namespace memprof
