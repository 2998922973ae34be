#include "system/memory_pressure.h"

#include <gtest/gtest.h>

#include "core/system/file_tree.h"

namespace memprof {
namespace {

constexpr const char* kText = "some avg10=12.34 avg60=1.00 avg300=0.20 total=11759447\nfull avg10=7.89 avg60=0.00 avg300=0.00 total=9\n";

TEST(MemoryPressure, IsThatOfTheContainerWhereItIsMeasured) {
  FileTree tree;
  tree.Write("group/memory.pressure", kText);
  tree.Write("proc/pressure/memory", "some avg10=0.07 avg60=0.00 avg300=0.00 total=1\n");
  const Result<MemoryPressure> own = MemoryPressure::Find(tree.Path("group"), tree.Path("proc"));
  ASSERT_TRUE(own.ok());
  EXPECT_EQ(own->Read(), 1234u);
  for (const std::string& folder : {std::string(), tree.Path("elsewhere")}) {
    const Result<MemoryPressure> machines = MemoryPressure::Find(folder, tree.Path("proc"));
    ASSERT_TRUE(machines.ok());
    EXPECT_EQ(machines->Read(), 7u);
  }
}

TEST(MemoryPressure, SaysWhyThereIsNone) {
  FileTree tree;
  const Result<MemoryPressure> none = MemoryPressure::Find("", tree.Path("proc"));
  ASSERT_EQ(none.status().code(), ErrorCode::kNotFound);
  EXPECT_NE(std::string(none.status().message()).find("pressure/memory"), std::string::npos);
}

TEST(MemoryPressure, RefusesWhatIsNoPercentage) {
  EXPECT_EQ(PressureOf("some avg10=100.00 avg60=0.00\n"), 10'000u);
  for (const char* text : {"", "full avg10=1.00\n", "some avg60=1.00\n", "some avg10=\n", "some avg10=1\n", "some avg10=1.2\n",
                           "some avg10=-1.00\n", "some avg10=1.x0\n", "some avg10=101.00\n"}) {
    EXPECT_EQ(PressureOf(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace memprof
