#include "symbols/demangle.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(Demangle, Cpp) {
  EXPECT_EQ(Demangled("_ZN4shop6Basket5WeighEi"), "shop::Basket::Weigh(int)");
  EXPECT_EQ(Demangled("_ZNSt6vectorIdSaIdEE7reserveEm"), "std::vector<double, std::allocator<double> >::reserve(unsigned long)");
}

TEST(Demangle, OtherNamesStayAsTheyAre) {
  EXPECT_EQ(Demangled("malloc"), "malloc");
  EXPECT_EQ(Demangled("_Znot a name"), "_Znot a name");
  EXPECT_EQ(Demangled(""), "");
}

TEST(Demangle, LegacyRustLosesItsHash) {
  EXPECT_EQ(Demangled("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
  EXPECT_EQ(Demangled("_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE"),
            "<alloc::string::String as core::fmt::Display>::fmt");
}

TEST(Demangle, RustV0) {
  EXPECT_EQ(Demangled("_RNvCskwGfYPst2Cb_3foo16example_function"), "foo::example_function");
  EXPECT_EQ(Demangled("_RNvMs0_NtCs5l0EXMQXRMU_9rustc_hir4WherNtB5_9Something3foo"), "<rustc_hir::Wher::Something>::foo");
  EXPECT_EQ(Demangled("_RNCNvCs1234_7mycrate3foo0B3_"), "mycrate::foo::{closure#0}");
  EXPECT_EQ(Demangled("_RNCNvCs1234_7mycrate3foos_0B3_"), "mycrate::foo::{closure#1}");
  EXPECT_EQ(Demangled("_RINvNtC3std3mem8align_ofjdE"), "std::mem::align_of::<usize, f64>");
  EXPECT_EQ(Demangled("_RNvXCs1_7mycrateNtB2_3FooNtB2_3Bar3baz"), "<mycrate::Foo as mycrate::Bar>::baz");
  EXPECT_EQ(Demangled("_RINvC1a1bRShQTmbEPeE"), "a::b::<&[u8], &mut (u32, bool), *const str>");
  EXPECT_EQ(Demangled("_RINvC1a1bAhj8_FUKChEuE"), "a::b::<[u8; 8], unsafe extern \"C\" fn(u8)>");
  EXPECT_EQ(Demangled("_RINvC1a1bDNtC4core3AnyEL_Kb1_E"), "a::b::<dyn core::Any, true>");
  EXPECT_EQ(Demangled("_RNvC6_123foo3bar"), "123foo::bar");
}

TEST(Demangle, BrokenRustV0StaysAsItIs) {
  for (const char* name :
       {"_R", "_RN", "_RNvC3fo", "_RNvC99999999999999999999999999foo3bar", "_RB_", "_RNvB_3foo", "_RIC1aB_E", "_RYB_C1a"}) {
    EXPECT_EQ(Demangled(name), name);
  }
}

TEST(Demangle, BackReferencesThatGrowAreBounded) {
  // Each tuple refers twice to the one before it: without a bound this prints 2^40 times.
  std::string name = "_RINvC1a1bTmmE";
  size_t before = 8;
  for (int i = 0; i < 40; ++i) {
    const size_t here = name.size() - 2;
    std::string reference = "B";
    std::string digits;
    for (size_t value = before - 1;; value /= 62) {
      digits.insert(digits.begin(), "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % 62]);
      if (value < 62) break;
    }
    reference += digits + "_";
    name += "T" + reference + reference + "E";
    before = here;
  }
  name += "E";
  EXPECT_LT(Demangled(name).size(), 20'000u);
}

}  // namespace
}  // namespace memprof
