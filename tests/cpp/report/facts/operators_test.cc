#include "facts/operators.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(Operators, AreToldByAnOperatorsOwnClass) {
  EXPECT_EQ(OperatorOfFunction("org.apache.spark.sql.execution.joins.BroadcastNestedLoopJoinExec.$anonfun$doExecute$4"),
            "BroadcastNestedLoopJoinExec");
  EXPECT_EQ(OperatorOfFunction("org.apache.spark.sql.execution.streaming.operators.stateful.StateStoreRestoreExec$$Lambda.apply"),
            "StateStoreRestoreExec");
  EXPECT_EQ(OperatorOfFunction("com.acme.MyExec.run"), "");
  EXPECT_EQ(OperatorOfFunction("org.apache.spark.executor.Exec.run"), "");
}

TEST(Operators, AreToldByClassesThatWorkForOneAlone) {
  EXPECT_EQ(OperatorOfFunction("org.apache.spark.sql.execution.UnsafeExternalRowSorter.insertRow"), "SortExec");
  EXPECT_EQ(OperatorOfFunction("org.apache.spark.sql.execution.joins.LongToUnsafeRowMap.<init>"), "hashed relation of a join");
  EXPECT_EQ(OperatorOfFunction("org.apache.spark.shuffle.sort.BypassMergeSortShuffleWriter.write"), "shuffle write");
  EXPECT_EQ(OperatorOfFunction("org.apache.spark.shuffle.BlockStoreShuffleReader.read"), "shuffle read");
  EXPECT_EQ(OperatorOfFunction("org.apache.spark.api.python.BasePythonRunner$WriterThread.run"), "PythonRunner");
  EXPECT_EQ(OperatorOfFunction("org.apache.parquet.hadoop.ParquetFileReader.readNextRowGroup"), "parquet reader");
  EXPECT_EQ(OperatorOfFunction("org.apache.comet.CometExecIterator.$anonfun$getNextBatch$2"), "CometNativeExec");
  EXPECT_EQ(OperatorOfFunction("org.apache.spark.sql.execution.datasources.parquet.ParquetOutputWriter.write"), "parquet writer");
  EXPECT_EQ(OperatorOfFunction("org.apache.spark.unsafe.types.UTF8String.fromBytes"), "");
}

TEST(Operators, AreToldByGeneratedMethodsAndElseByTheirStage) {
  const std::string stage = "org.apache.spark.sql.catalyst.expressions.GeneratedClass$GeneratedIteratorForCodegenStage12";
  EXPECT_EQ(OperatorOfFunction(stage + ".sort_addToSorter_0$"), "SortExec");
  EXPECT_EQ(OperatorOfFunction(stage + ".hashAgg_doAggregateWithKeys_0$"), "HashAggregateExec");
  EXPECT_EQ(OperatorOfFunction(stage + ".smj_findNextJoinRows_0$"), "SortMergeJoinExec");
  EXPECT_EQ(OperatorOfFunction(stage + ".processNext"), "whole-stage codegen 12");
  EXPECT_EQ(OperatorOfFunction(stage + "$hashAgg_FastHashMap_0.<init>"), "whole-stage codegen 12");
  EXPECT_EQ(OperatorOfFunction("org.apache.spark.sql.catalyst.expressions.GeneratedClass$SpecificUnsafeProjection.apply"), "");
}

TEST(Operators, PlatformsCodeNeverAsks) {
  EXPECT_TRUE(IsPlatformCode("java.util.Arrays.copyOf"));
  EXPECT_TRUE(IsPlatformCode("org.apache.spark.memory.TaskMemoryManager.allocatePage"));
  EXPECT_TRUE(IsPlatformCode("scala.collection.Iterator$$anon$9.next"));
  EXPECT_FALSE(IsPlatformCode("com.acme.Parser.read"));
  EXPECT_FALSE(IsPlatformCode("org.apache.parquet.column.Dictionary.decode"));
}

}  // namespace
}  // namespace memprof
