#include "shortage/class_histogram.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(ClassHistogram, TypesAreCalledAsPeopleWriteThem) {
  EXPECT_EQ(TypeNameOf("[B"), "byte[]");
  EXPECT_EQ(TypeNameOf("[[J"), "long[][]");
  EXPECT_EQ(TypeNameOf("Ljava/lang/String;"), "java.lang.String");
  EXPECT_EQ(TypeNameOf("[[Ljava/util/HashMap$Node;"), "java.util.HashMap$Node[][]");
  EXPECT_EQ(TypeNameOf("Lcom/acme/Job$$Lambda$14.0x0000000800c03000;"), "com.acme.Job$$Lambda");
  EXPECT_EQ(TypeNameOf("["), "[]") << "nonsense, but no crash";
  EXPECT_EQ(TypeNameOf(""), "");
}

}  // namespace
}  // namespace memprof
