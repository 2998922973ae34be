// Executors' bytes are hostile: whatever they say, the store refuses or takes them whole, and stays as it was if it refuses.
#include "intake/decode.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "proto/envelope.h"
#include "report/profile_builder.h"
#include "report/sample_store.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

using testing::ProfileBuilder;
using testing::Python;

ProfileBuilder Good() {
  ProfileBuilder builder(7, 2, 0);
  uint32_t udf = builder.Udf("f", "/f.py", 1, "RDD");
  builder.Site(proto::ORIGIN_PYTHON, {Python("f", "/f.py", 1), Python("g", "/f.py", 2)}, 1'999'993, 1).set_udf(udf);
  return builder;
}

struct Malformed {
  const char* name;
  std::function<void(proto::TaskProfile&)> spoil;
};

class RefusesMalformed : public ::testing::TestWithParam<Malformed> {};

TEST_P(RefusesMalformed, AndStaysAsItWas) {
  ProfileStore store;
  ASSERT_TRUE(store.Ingest(Good().Bytes()).ok());
  std::string before = store.ReportJson(false);
  ProfileBuilder bad = Good();
  bad.profile().set_sequence(9);
  GetParam().spoil(bad.profile());
  Status status = store.Ingest(bad.Bytes());
  EXPECT_EQ(status.code(), ErrorCode::kCorrupt);
  EXPECT_STRNE(status.message(), "");
  EXPECT_EQ(store.ReportJson(false), before);
}

INSTANTIATE_TEST_SUITE_P(
    Decode, RefusesMalformed,
    ::testing::Values(Malformed{"StringOutOfRange", [](auto& profile) { profile.mutable_frames(0)->set_file(99); }},
                      Malformed{"FrameOutOfRange", [](auto& profile) { profile.mutable_stacks(1)->set_frame(2); }},
                      Malformed{"StackBeforeItsParent", [](auto& profile) { profile.mutable_stacks(0)->set_parent(2); }},
                      Malformed{"StackIsItsOwnParent", [](auto& profile) { profile.mutable_stacks(1)->set_parent(2); }},
                      Malformed{"SiteWithoutStack", [](auto& profile) { profile.mutable_sites(0)->set_stack(3); }},
                      Malformed{"SiteWithoutUdf", [](auto& profile) { profile.mutable_sites(0)->set_udf(2); }},
                      Malformed{"NoOrigin", [](auto& profile) { profile.mutable_sites(0)->clear_origin(); }},
                      Malformed{"HugeFigure", [](auto& profile) { profile.mutable_sites(0)->set_allocated_bytes(uint64_t{1} << 60); }},
                      Malformed{"HugeLive", [](auto& profile) { profile.mutable_sites(0)->set_live_at_peak_bytes(UINT64_MAX); }},
                      Malformed{"NegativeVariance", [](auto& profile) { profile.mutable_sites(0)->set_variance(-1); }},
                      Malformed{"InfiniteVariance", [](auto& profile) { profile.mutable_sites(0)->set_variance(INFINITY); }},
                      Malformed{"VarianceIsNoNumber", [](auto& profile) { profile.mutable_sites(0)->set_peak_variance(NAN); }},
                      Malformed{"HugeRemainder",
                                [](auto& profile) {
                                  proto::Remainder& rest = *profile.add_remainders();
                                  rest.set_origin(proto::ORIGIN_PYTHON);
                                  rest.set_allocated_bytes(UINT64_MAX);
                                }},
                      Malformed{"HugeProcess",
                                [](auto& profile) { profile.mutable_executor()->add_processes()->set_peak_rss_bytes(UINT64_MAX); }},
                      Malformed{"HugeRow",
                                [](auto& profile) {
                                  profile.mutable_executor()->mutable_at_peak()->add_processes()->add_peak_rows()->set_bytes(UINT64_MAX);
                                }},
                      Malformed{"EndlessStack",
                                [](auto& profile) {
                                  for (uint32_t i = 0; i < 300; ++i)
                                    profile.add_stacks()->set_parent(static_cast<uint32_t>(profile.stacks_size()) - 1);
                                }}),
    [](const auto& malformed) { return malformed.param.name; });

TEST(Decode, RefusesWhatIsNoEnvelope) {
  ProfileStore store;
  EXPECT_EQ(store.Ingest("").code(), ErrorCode::kUnsupported);
  EXPECT_EQ(store.Ingest("not protobuf at all").code(), ErrorCode::kCorrupt);
  EXPECT_EQ(store.Ingest(std::string(kMaxEnvelopeBytes + 1, '\n')).code(), ErrorCode::kExhausted);
  proto::Envelope later;
  later.set_schema_version(2);
  EXPECT_EQ(store.Ingest(later.SerializeAsString()).code(), ErrorCode::kUnsupported);
  proto::Envelope empty = EnvelopeOf("1");
  EXPECT_EQ(store.Ingest(empty.SerializeAsString()).code(), ErrorCode::kCorrupt);
}

// Flips, cuts and noise in real messages: with the sanitizers on (preset asan) this is the test that finds misreads.
TEST(Decode, SurvivesDamage) {
  ProfileStore store(1 << 20);
  std::vector<std::string> seeds = {Good().Bytes(), testing::DemoTask(3, 1, "0", 12'345), testing::SnapshotBytes("0", 4000, 99'999, 7),
                                    testing::SymbolBytes("abc", 16, "name", "file", 3)};
  std::mt19937 random(20260131);
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = seeds[random() % seeds.size()];
    for (unsigned flips = random() % 6; flips != 0; --flips) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    static_cast<void>(store.Ingest(bytes));
    if (round % 400 == 0) {
      EXPECT_FALSE(store.ReportJson(true).empty());
    }
  }
}

}  // namespace
}  // namespace memprof
