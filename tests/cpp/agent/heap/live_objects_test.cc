#include "heap/live_objects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/clock.h"
#include "sampling/estimator.h"

namespace memprof {
namespace {

// References to objects that are numbers; some of them are gone.
class FakeReferences final : public WeakReferences {
 public:
  jweak Make(jobject object) override {
    alive_.insert(object);
    return object;
  }
  bool IsGone(jweak reference) override { return gone_.contains(reference); }
  void Delete(jweak reference) override { EXPECT_EQ(alive_.erase(reference), 1u); }
  void Collect(jobject object) { gone_.insert(object); }
  size_t count() const { return alive_.size(); }

 private:
  std::set<jobject> alive_, gone_;
};

jobject Object(uintptr_t number) { return reinterpret_cast<jobject>(number * 8); }

constexpr uint64_t kSite = 77, kOther = 78, kMaker = 7, kOtherMaker = 8;
constexpr int64_t kMs = 1'000'000;

Marking MarkedAt(int64_t ns) { return {"a collection", ns, ns, ns, 0, 0}; }

class LiveObjectsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    live_.Begin(1, references_);  // every object
    live_.AddSite(kSite, kMaker, {nullptr, 0, 3, 1, 0});
    live_.AddSite(kOther, kOtherMaker, {nullptr, 0, -1, -1, 5});
    now_ = MonotonicNs();
  }
  void TearDown() override {
    live_.End(references_);
    EXPECT_EQ(references_.count(), 0u);
  }

  FakeReferences references_;
  LiveObjects live_;
  int64_t now_ = 0;
};

TEST_F(LiveObjectsTest, SumsUpBySiteWhatIsNotGone) {
  live_.Add(Object(1), 1003, kSite, now_, references_);
  live_.Add(Object(2), 501, kSite, now_, references_);
  live_.Add(Object(3), 70'001, kOther, now_, references_);
  live_.Add(Object(4), 9'999, kOther, now_, references_);
  references_.Collect(Object(4));
  const std::vector<RetainedSite> retained = *live_.Retained(MarkedAt(now_ + 10 * kMs), references_);
  ASSERT_EQ(retained.size(), 2u);
  EXPECT_EQ(retained[0].bytes, 70'001);
  EXPECT_EQ(retained[0].origin.bucket, 5u);
  EXPECT_EQ(retained[1].bytes, 1504);
  EXPECT_EQ(retained[1].objects, 2);
  EXPECT_EQ(retained[1].variance, 0);
  EXPECT_EQ(retained[1].origin.stage_id, 3);
  EXPECT_EQ(live_.objects(), 3u);
}

TEST_F(LiveObjectsTest, WhatIsYoungerThanTheMarkingIsNotCounted) {
  live_.Add(Object(1), 1003, kSite, now_, references_);
  live_.Add(Object(2), 501, kSite, now_ + 50 * kMs, references_);
  std::vector<RetainedSite> retained = *live_.Retained(MarkedAt(now_ + 20 * kMs), references_);
  ASSERT_EQ(retained.size(), 1u);
  EXPECT_EQ(retained[0].bytes, 1003);
  retained = *live_.Retained(MarkedAt(now_ + 90 * kMs), references_);
  EXPECT_EQ(retained[0].bytes, 1504);
}

TEST_F(LiveObjectsTest, OfLargeObjectsLessMayBeKnown) {
  live_.Add(Object(1), kLargeObject - 1, kSite, now_ + 30 * kMs, references_);
  live_.Add(Object(2), kLargeObject, kSite, now_ + 30 * kMs, references_);
  live_.Add(Object(3), kLargeObject + 7, kSite, now_, references_);
  const std::vector<RetainedSite> retained = *live_.Retained({"a marking", now_ + 50 * kMs, now_ + 20 * kMs, 0, 0, 0}, references_);
  ASSERT_EQ(retained.size(), 1u);
  EXPECT_EQ(retained[0].bytes, 2 * kLargeObject + 6);
}

TEST_F(LiveObjectsTest, APurgeGivesBackWhatIsGoneAndSitesWithoutObjects) {
  for (uintptr_t i = 1; i <= 5000; ++i) live_.Add(Object(i), 100, kSite, now_, references_);
  EXPECT_TRUE(live_.WantsPurge());
  for (uintptr_t i = 1; i <= 5000; i += 2) references_.Collect(Object(i));
  live_.Purge(references_);
  EXPECT_FALSE(live_.WantsPurge());
  EXPECT_EQ(live_.objects(), 2500u);
  EXPECT_EQ(references_.count(), 2500u);
  for (uintptr_t i = 2; i <= 5000; i += 2) references_.Collect(Object(i));
  live_.Purge(references_);
  EXPECT_EQ(live_.objects(), 0u);
  EXPECT_FALSE(live_.Knows(kSite));
  EXPECT_FALSE(live_.Knows(kOther));
}

// The JVM's own sampling, and a table that overflows four times: still every size by itself is unbiased.
TEST_F(LiveObjectsTest, AFullTableThinsWithoutBias) {
  constexpr uint64_t kInterval = 512, kSmall = 203, kLarge = 2'003;
  constexpr uintptr_t kObjects = 4'000'000;
  live_.Begin(kInterval, references_);
  live_.AddSite(kSite, kMaker, {nullptr, 0, 3, 1, 0});
  live_.AddSite(kOther, kOtherMaker, {nullptr, 0, 4, 1, 0});
  uint64_t random = 1;
  for (uintptr_t i = 1; i <= kObjects; ++i) {
    const uint64_t size = i % 4 == 0 ? kLarge : kSmall;
    random = random * 6364136223846793005u + 1442695040888963407u;
    const bool sampled = static_cast<double>(random >> 11) * 0x1p-53 < SampleProbability(size, kInterval);
    if (sampled && live_.Keeps(size)) live_.Add(Object(i), size, size == kSmall ? kSite : kOther, now_, references_);
  }
  EXPECT_GE(live_.doublings(), 3u);
  EXPECT_EQ(live_.interval(), kInterval << live_.doublings());
  EXPECT_LE(live_.objects(), LiveObjects::kMaxObjects);
  const std::vector<RetainedSite> retained = *live_.Retained(MarkedAt(now_ + 10 * kMs), references_);
  ASSERT_EQ(retained.size(), 2u);
  for (const RetainedSite& site : retained) {
    const double truth = site.origin.stage_id == 3 ? 3.0 * kObjects / 4 * kSmall : 1.0 * kObjects / 4 * kLarge;
    EXPECT_NEAR(site.bytes / truth, 1, 0.02);
    EXPECT_NEAR(site.bytes, truth, 2 * 2 * std::sqrt(site.variance));
    EXPECT_GT(site.variance, 0);
  }
}

// A maker whose large objects were gone at the last marking is thinned: few of its next ones are followed, and their sum is unbiased.
TEST_F(LiveObjectsTest, LargeGarbageIsThinnedWithoutBias) {
  constexpr uint64_t kHeap = uint64_t{64} << 30, kSize = 1'400'003;
  const auto marked = [&](int64_t ns) { return Marking{"a marking", ns, ns, ns, 0, kHeap}; };
  live_.SetThinning(true);
  for (uintptr_t i = 1; i <= 8; ++i) {
    live_.Add(Object(i), kSize, kSite, now_, references_);
    live_.Add(Object(100 + i), kSize, kOther, now_, references_);
    references_.Collect(Object(i));
  }
  EXPECT_EQ(live_.Retained(marked(now_ + 10 * kMs), references_)->at(0).bytes, 8.0 * kSize);
  EXPECT_EQ(live_.objects(), 8u);

  // 2.8 TB, of which the followed ones hold no more than a part of the heap.
  constexpr uintptr_t kObjects = 2'000'000;
  for (uintptr_t i = 1000; i < 1000 + kObjects; ++i) live_.Add(Object(i), kSize, kSite, now_, references_);
  const double followed = static_cast<double>(live_.objects() - 8), most = static_cast<double>(kHeap / LargeObjects::kBudget);
  EXPECT_LE(followed * kSize, most);
  EXPECT_GT(followed * kSize, most / 4);
  const size_t before = live_.objects();
  live_.Add(Object(301), kLargeObject - 1, kSite, now_, references_);
  EXPECT_EQ(live_.objects(), before + 1) << "a smaller one is always followed";
  for (uintptr_t i = 200; i < 210; ++i) live_.Add(Object(i), kSize, kOther, now_, references_);
  const std::vector<RetainedSite> retained = *live_.Retained(marked(now_ + 20 * kMs), references_);
  ASSERT_EQ(retained.size(), 2u);
  EXPECT_NEAR(retained[0].bytes, 1.0 * kObjects * kSize, 6 * std::sqrt(retained[0].variance));
  EXPECT_NEAR(std::sqrt(retained[0].variance) / retained[0].bytes, 1 / std::sqrt(followed), 0.1 / std::sqrt(followed));
  EXPECT_EQ(retained[1].bytes, 18.0 * kSize);  // what was still reachable then is followed whole
  EXPECT_EQ(retained[1].variance, 0);

  // This time they were reachable: the next ones are followed whole, and the old ones keep their weight.
  live_.Add(Object(302), kSize, kSite, now_ + 20 * kMs, references_);
  EXPECT_NEAR(live_.Retained(marked(now_ + 30 * kMs), references_)->at(0).bytes, retained[0].bytes + kSize, 1);
}

// What a marking has found reachable is no garbage when it is let go; and of what was made while the heap was marked nothing is known.
TEST_F(LiveObjectsTest, WhatWasRetainedIsNoGarbage) {
  const auto marked = [&](int64_t ns) { return Marking{"a marking", ns, ns, ns, 0, uint64_t{1} << 30}; };
  live_.SetThinning(true);
  for (uintptr_t i = 1; i <= 100; ++i) live_.Add(Object(i), kLargeObject, kSite, now_, references_);
  EXPECT_EQ(live_.Retained(marked(now_ + 10 * kMs), references_)->size(), 1u);
  for (uintptr_t i = 1; i <= 100; ++i) references_.Collect(Object(i));
  for (uintptr_t i = 101; i <= 200; ++i) live_.Add(Object(i), kLargeObject, kSite, now_ + 30 * kMs, references_);
  for (uintptr_t i = 101; i <= 110; ++i) references_.Collect(Object(i));
  Marking marking = marked(now_ + 20 * kMs);
  marking.older_than_ns = now_ + 35 * kMs;
  EXPECT_TRUE(live_.Retained(marking, references_)->empty());
  for (uintptr_t i = 201; i <= 300; ++i) live_.Add(Object(i), kLargeObject, kSite, now_ + 40 * kMs, references_);
  EXPECT_EQ(live_.objects(), 190u) << "all are followed";
}

TEST_F(LiveObjectsTest, OnlyWhereACollectorNeedsItIsLargeGarbageThinned) {
  for (uintptr_t i = 1; i <= 8; ++i) live_.Add(Object(i), kLargeObject, kSite, now_, references_);
  for (uintptr_t i = 1; i <= 8; ++i) references_.Collect(Object(i));
  EXPECT_TRUE(live_.Retained({"a marking", now_ + 10 * kMs, now_ + 10 * kMs, 0, 0, uint64_t{64} << 30}, references_)->empty());
  for (uintptr_t i = 11; i <= 510; ++i) live_.Add(Object(i), kLargeObject, kSite, now_, references_);
  EXPECT_EQ(live_.objects(), 500u);
}

TEST_F(LiveObjectsTest, SitesBeyondTheBoundShareOne) {
  for (uint64_t key = 1000; key < 1000 + LiveObjects::kMaxSites; ++key) live_.AddSite(key, 0, {nullptr, 0, 9, 0, 0});
  EXPECT_GT(live_.lost_sites(), 0u);
  live_.Add(Object(1), 55, 1000 + LiveObjects::kMaxSites - 1, now_, references_);
  const std::vector<RetainedSite> retained = *live_.Retained(MarkedAt(now_ + 10 * kMs), references_);
  ASSERT_EQ(retained.size(), 1u);
  EXPECT_EQ(retained[0].bytes, 55);
  EXPECT_EQ(retained[0].origin.stage_id, -1);
}

TEST_F(LiveObjectsTest, AfterTheEndNothingIsKept) {
  live_.Add(Object(1), 1003, kSite, now_, references_);
  live_.End(references_);
  EXPECT_EQ(references_.count(), 0u);
  EXPECT_FALSE(live_.Keeps(1003));
  live_.Add(Object(2), 1003, kSite, now_, references_);  // a straggler
  EXPECT_EQ(references_.count(), 0u);
}

}  // namespace
}  // namespace memprof
