#include "base/shortcomings.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

std::string All(const Shortcomings& shortcomings) {
  std::string all;
  for (const Shortcomings::Entry& entry : shortcomings.All()) all += entry.what + ": " + entry.why + "; ";
  return all;
}

TEST(Shortcomings, TheFirstReasonStaysAndThereAreNotTooMany) {
  Shortcomings shortcomings;
  shortcomings.Add("a", "first");
  shortcomings.Add("a", "second");
  EXPECT_EQ(All(shortcomings), "a: first; ");
  for (int i = 0; i < 100; ++i) shortcomings.Add(std::to_string(i), "");
  EXPECT_EQ(shortcomings.All().size(), Shortcomings::kMax);
}

TEST(Shortcomings, ThoseOfTheJvmOutliveAnApplication) {
  Shortcomings shortcomings;
  shortcomings.Add("of the JVM", "always");
  shortcomings.KeepThese();
  shortcomings.Add("of the first", "once");
  shortcomings.Clear();
  EXPECT_EQ(All(shortcomings), "of the JVM: always; ");
  shortcomings.Add("of the second", "once");
  EXPECT_EQ(All(shortcomings), "of the JVM: always; of the second: once; ");
}

}  // namespace
}  // namespace memprof
