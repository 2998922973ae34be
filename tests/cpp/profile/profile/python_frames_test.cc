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
  const BoxUdf inner_udf_{"inner", "/jobs/a.py", "BATCHED_UDF", 20};

  static BoxUdf Closure(const char* name) { return {name, "/jobs/a.py", "BATCHED_UDF", 30}; }
  uint32_t Found(const std::vector<const BoxFrame*>& frames, const std::vector<BoxUdf>& udfs) const {
    return UdfOf(frames, udfs, framework_).index_plus_1;
  }
};

TEST_F(Udfs, TheOutermostFrameThatIsOneCounts) {
  EXPECT_EQ(Found({&machinery_, &outer_, &inner_}, {inner_udf_, outer_udf_}), 2u);
  EXPECT_EQ(Found({&machinery_, &inner_}, {inner_udf_, outer_udf_}), 1u);
}

// rdd.map(parse).mapPartitions(save): save asks for its input, and so runs parse.
TEST_F(Udfs, OfAChainTheInnermostThatPysparkCallsCounts) {
  const BoxFrame wrapper = Frame("fail_on_stopiteration.<locals>.wrapper", "/spark/pyspark/util.py", 158, 156);
  const BoxFrame pickled = Frame("RDD.mapValues.<locals>.map_values_fn", "/v/lib/python3.11/site-packages/pyspark/rdd.py", 9, 5);
  const BoxFrame parse = Frame("parse", "/jobs/a.py", 32, 30), save = Frame("save", "/jobs/a.py", 42, 40);
  const BoxFrame helper = Frame("helper", "/jobs/a.py", 52, 50);
  const BoxUdf parse_udf{"parse", "/jobs/a.py", "RDD", 30}, save_udf{"save", "/jobs/a.py", "RDD", 40};
  const std::vector<BoxUdf> chain = {parse_udf, save_udf};
  EXPECT_EQ(Found({&machinery_, &save, &wrapper, &parse}, chain), 1u);
  EXPECT_EQ(Found({&machinery_, &save, &helper, &wrapper, &parse, &helper}, chain), 1u);
  EXPECT_EQ(Found({&machinery_, &save, &parse}, chain), 2u) << "called by the user's own code, which wants it for itself";
  std::vector<BoxUdf> of_generator = chain;
  of_generator[0].is_generator = true;
  EXPECT_EQ(Found({&machinery_, &save, &parse}, of_generator), 1u) << "nothing of PySpark's is between a generator and who asks it";
  EXPECT_EQ(Found({&machinery_, &save, &helper}, chain), 2u);
  EXPECT_EQ(Found({&machinery_, &save, &wrapper}, chain), 2u);
  EXPECT_EQ(Found({&machinery_, &wrapper, &parse, &save}, chain), 1u) << "called by the user's own code: save is applied later";
  EXPECT_EQ(Found({&machinery_, &parse, &wrapper, &save}, chain), 2u) << "the chain has parse twice";
  EXPECT_EQ(Found({&machinery_, &parse, &pickled, &save}, chain), 2u) << "a frame of PySpark's by the driver's path";
}

TEST_F(Udfs, OfAQueryOneThatCallsAnotherIsItself) {
  const BoxFrame wrapper = Frame("wrapper", "/spark/pyspark/util.py", 158, 156);
  EXPECT_EQ(Found({&machinery_, &outer_, &inner_}, {inner_udf_, outer_udf_}), 2u);
  EXPECT_EQ(Found({&machinery_, &outer_, &wrapper, &inner_}, {inner_udf_, outer_udf_}), 2u);
}

TEST_F(Udfs, OutsideOfAllTheOnlyOneIsTaken) {
  const BoxFrame helper = Frame("helper", "/jobs/a.py", 42, 40), library = Frame("array", "/venv/lib/python3.11/site-packages/x.py", 9, 1);
  EXPECT_EQ(Found({&machinery_, &helper}, {inner_udf_}), 1u);
  EXPECT_EQ(Found({&library}, {inner_udf_}), 1u) << "its outer frames were cut off";
  EXPECT_EQ(Found({}, {inner_udf_}), 1u);
  EXPECT_EQ(Found({&machinery_}, {BoxUdf{"job.py", "", "PROGRAM", 0}}), 1u) << "without Spark";
  EXPECT_EQ(Found({&machinery_}, {inner_udf_, outer_udf_}), 0u);
  EXPECT_EQ(Found({&machinery_}, {}), 0u);
}

TEST_F(Udfs, OutsideOfAllMethodsOfAnObjectItIsTheFirsts) {
  const BoxFrame rows = Frame("Table.rows", "/jobs/a.py", 42, 40), batch = Frame("load_stream", "/spark/pyspark/serializers.py", 340, 300);
  for (const char* kind : {"TABLE_UDF", "ARROW_TABLE_UDF", "ARROW_UDTF", "DATA_SOURCE_READ", "TRANSFORM_WITH_STATE_PANDAS_UDF", "RDD"}) {
    const std::vector<BoxUdf> methods = {{"Table.eval", "/jobs/a.py", kind, 10}, {"Table.__init__", "/jobs/a.py", kind, 20}};
    EXPECT_EQ(Found({&machinery_, &rows}, methods), std::string_view(kind) == "RDD" ? 0u : 1u)
        << kind << ": a generator that eval returned";
    EXPECT_EQ(Found({&machinery_, &inner_}, methods), 2u) << kind;
    EXPECT_EQ(Found({&machinery_, &batch}, methods), 0u) << kind << ": PySpark's own";
  }
}

TEST_F(Udfs, GeneratedCodeIsOfThePackageThatCallsIt) {
  const BoxFrame pandas = Frame("concat", "/venv/lib/python3.11/site-packages/pandas/core/reshape/concat.py", 9, 1);
  const BoxFrame numpy = Frame("concatenate", "<__array_function__ internals>", 180, 179);
  const BoxFrame typed = Frame("mine", "<string>", 3, 2);
  EXPECT_EQ(Found({&machinery_, &pandas, &numpy}, {inner_udf_}), 0u) << "PySpark's own conversion of a batch";
  EXPECT_EQ(Found({&machinery_, &typed}, {inner_udf_}), 1u) << "python -c";
  EXPECT_EQ(Found({&machinery_, &pandas, &typed}, {inner_udf_}), 1u) << "what pandas calls for it";
}

TEST_F(Udfs, WhatTheFrameworkDoesByItselfIsNoUdfs) {
  const BoxFrame batch = Frame("load_stream", "/spark/pyspark/sql/pandas/serializers.py", 340, 300);
  const BoxFrame caches = Frame("invalidate_caches", "/usr/lib/python3.11/importlib/__init__.py", 70, 66);
  const BoxFrame frozen = Frame("_path_join", "<frozen importlib._bootstrap_external>", 128, 126);
  EXPECT_EQ(Found({&machinery_, &batch}, {inner_udf_}), 0u);
  EXPECT_EQ(Found({&machinery_, &caches, &frozen}, {inner_udf_}), 0u);
  const BoxFrame pandas = Frame("concat", "/venv/lib/python3.11/site-packages/pandas/core/concat.py", 9, 1);
  const BoxFrame wrapper = Frame("validate", "/venv/lib/python3.11/site-packages/wrapper/checks.py", 9, 1);
  EXPECT_EQ(Found({&machinery_, &batch, &pandas}, {inner_udf_}), 0u);
  EXPECT_EQ(Found({&machinery_, &wrapper, &pandas}, {inner_udf_}), 1u) << "which a package has wrapped";
  EXPECT_EQ(Found({&machinery_, &inner_, &batch}, {inner_udf_}), 1u) << "which asks for the next batch itself";

  const BoxFrame import = Frame("<module>", "/venv/lib/python3.11/site-packages/pandas/__init__.py", 49, 1);
  const BoxFrame dateutil = Frame("<module>", "/venv/lib/python3.11/site-packages/dateutil/__init__.py", 6, 1);
  const BoxFrame users = Frame("<module>", "/jobs/helpers.py", 3, 1);
  EXPECT_EQ(Found({&machinery_, &import, &dateutil}, {inner_udf_}), 0u) << "pandas imports it";
  EXPECT_EQ(Found({&machinery_, &dateutil}, {inner_udf_}), 1u);
  const BoxFrame py4j = Frame("send", "/v/lib/python3.11/site-packages/pyspark/python/lib/py4j-0.10.9-src.zip/py4j/java_gateway.py", 9, 1);
  EXPECT_EQ(Found({&machinery_, &py4j}, {inner_udf_}), 0u);
  EXPECT_EQ(Found({&machinery_, &users, &import, &dateutil}, {inner_udf_}), 1u) << "the user's module imports it";
}

TEST_F(Udfs, FunctionsOfOnePlaceAreKnownByTheirNames) {
  const BoxFrame named = Frame("price_1", "/jobs/a.py", 32, 30), bare = Frame("u", "/jobs/a.py", 32, 30);
  const BoxUdf first = Closure("price_0"), second = Closure("price_1"), plain = Closure("u");
  EXPECT_EQ(UdfOf({&machinery_, &named}, {inner_udf_, first, second, plain}, framework_), (UdfOfStack{3, false}));
  EXPECT_EQ(UdfOf({&machinery_, &bare}, {inner_udf_, first, plain, second}, framework_), (UdfOfStack{3, false}));
  EXPECT_EQ(UdfOf({&machinery_, &bare, &inner_}, {inner_udf_, first}, framework_), (UdfOfStack{2, false})) << "the only one there";
}

TEST_F(Udfs, AWholeNameCountsMoreThanItsLastPart) {
  const BoxFrame of_second = Frame("v2.price", "/jobs/a.py", 32, 30), bare = Frame("price", "/jobs/a.py", 32, 30);
  const BoxUdf first = Closure("v1.price"), second = Closure("v2.price");
  EXPECT_EQ(Found({&machinery_, &of_second}, {first, second}), 2u);
  EXPECT_EQ(Found({&machinery_, &bare}, {inner_udf_, second}), 2u) << "CPython 3.9 has no class before it";
}

TEST_F(Udfs, ThoseThatCannotBeToldApartAreOne) {
  const BoxFrame bare = Frame("u", "/jobs/a.py", 32, 30);
  const BoxUdf first = Closure("price_0"), second = Closure("price_1"), third = Closure("price_2");
  BoxUdf of_other_kind = Closure("make.<locals>.price");
  of_other_kind.kind = "SCALAR_PANDAS_UDF";
  EXPECT_EQ(UdfOf({&machinery_, &bare}, {inner_udf_, first, second, third}, framework_), (UdfOfStack{2, true}));

  std::vector<BoxUdf> udfs = {first, inner_udf_, second, first};
  EXPECT_EQ(WithNamesOfItsPlace(first, udfs).name, "price_0, price_1");
  EXPECT_EQ(WithNamesOfItsPlace(second, udfs).name, "price_0, price_1");
  EXPECT_EQ(WithNamesOfItsPlace(inner_udf_, udfs).name, "inner");
  udfs.push_back(of_other_kind);
  EXPECT_EQ(WithNamesOfItsPlace(first, udfs).name, "price_0, price_1, …");
}

// 32 have a place in a session.
TEST_F(Udfs, OneThatFoundNoRoomIsNotChargedToItsSibling) {
  const BoxFrame named = Frame("price_32", "/jobs/a.py", 32, 30), kept = Frame("price_0", "/jobs/a.py", 32, 30);
  const std::vector<BoxUdf> udfs = {Closure("price_0"), inner_udf_};
  EXPECT_EQ(UdfOf({&machinery_, &named, &inner_}, udfs, framework_, true), UdfOfStack());
  EXPECT_EQ(UdfOf({&machinery_, &kept}, udfs, framework_, true), (UdfOfStack{1, false}));
  EXPECT_EQ(UdfOf({&machinery_, &named}, udfs, framework_, false), (UdfOfStack{1, false})) << "another name of the only one";
}

TEST_F(Udfs, AnotherFunctionOfTheSameNameIsNotIt) {
  const BoxFrame elsewhere = Frame("outer", "/jobs/b.py", 12, 10);
  const BoxFrame later = Frame("outer", "/jobs/a.py", 52, 50);
  EXPECT_EQ(Found({&elsewhere, &later}, {inner_udf_, outer_udf_}), 0u);
}

}  // namespace
}  // namespace memprof
