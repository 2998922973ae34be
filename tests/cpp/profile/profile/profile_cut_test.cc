#include "profile/profile_cut.h"

#include <gtest/gtest.h>

#include <map>

namespace memprof {
namespace {

// `depth` frames of which the outer half is shared by all sites.
ProfileSite MakeSite(ProfileSites* sites, Origin origin, int number, int depth, double bytes) {
  uint32_t node = 0;
  for (int level = 0; level < depth; ++level) {
    ProfileFrame frame;
    frame.language = origin == Origin::kPython ? Language::kPython : Language::kJava;
    const bool shared = level < depth / 2;
    frame.function = "some.rather.long.package.Class" + std::to_string(shared ? level : 1000 * number + level) + ".method";
    frame.file = "Class.java";
    frame.line = static_cast<uint32_t>(level + 1);
    node = sites->AddNode(node, sites->AddFrame(frame));
  }
  ProfileSite site;
  site.origin = origin;
  site.stack = node;
  site.allocated_bytes = bytes;
  site.allocations = 1;
  site.variance = bytes;
  if (origin != Origin::kJvmHeap) site.live_at_peak_bytes = bytes / 2;
  return site;
}

struct Totals {
  uint64_t sites = 0, allocated = 0, live_at_peak = 0;
};

std::map<int, Totals> TotalsOf(const proto::TaskProfile& profile) {
  std::map<int, Totals> totals;
  for (const proto::Site& site : profile.sites()) {
    Totals& sum = totals[site.origin()];
    ++sum.sites;
    sum.allocated += site.allocated_bytes();
    sum.live_at_peak += site.live_at_peak_bytes();
  }
  for (const proto::Remainder& rest : profile.remainders()) {
    Totals& sum = totals[rest.origin()];
    sum.sites += rest.sites();
    sum.allocated += rest.allocated_bytes();
    sum.live_at_peak += rest.live_at_peak_bytes();
  }
  return totals;
}

class ProfileCut : public testing::TestWithParam<size_t> {};

TEST_P(ProfileCut, KeepsWithinItsBoundAndTotalsAddUp) {
  ProfileSites sites;
  std::map<int, Totals> truth;
  int number = 0;
  for (const Origin origin : {Origin::kPython, Origin::kJvmHeap, Origin::kJvmOffHeap}) {
    for (int i = 0; i < 60; ++i) {
      const ProfileSite site = MakeSite(&sites, origin, ++number, 20, 1000 + 2 * (i * 7919 % 4001));
      sites.Add(site);
      Totals& sum = truth[static_cast<int>(origin)];
      ++sum.sites;
      sum.allocated += static_cast<uint64_t>(site.allocated_bytes);
      sum.live_at_peak += static_cast<uint64_t>(site.live_at_peak_bytes.value_or(0));
    }
  }
  proto::TaskProfile profile;
  profile.set_task_attempt_id(4711);
  WriteSites(sites, GetParam(), &profile);
  EXPECT_LE(profile.SerializeAsString().size(), GetParam());
  const auto totals = TotalsOf(profile);
  for (const auto& [origin, expected] : truth) {
    EXPECT_EQ(totals.at(origin).sites, expected.sites) << origin;
    EXPECT_EQ(totals.at(origin).allocated, expected.allocated) << origin;
    EXPECT_EQ(totals.at(origin).live_at_peak, expected.live_at_peak) << origin;
  }

  // The largest of each origin are in, the message is well made, and nothing in it is unused.
  std::map<int, uint64_t> last;
  for (const proto::Site& site : profile.sites()) {
    const auto before = last.find(site.origin());
    if (before != last.end()) {
      EXPECT_LE(site.allocated_bytes(), before->second);
    }
    last[site.origin()] = site.allocated_bytes();
    ASSERT_LE(site.stack(), static_cast<uint32_t>(profile.stacks_size()));
  }
  for (int i = 0; i < profile.stacks_size(); ++i) {
    EXPECT_LE(profile.stacks(i).parent(), static_cast<uint32_t>(i));  // parents come first
    ASSERT_LT(profile.stacks(i).frame(), static_cast<uint32_t>(profile.frames_size()));
  }
  for (const proto::Frame& frame : profile.frames()) ASSERT_LT(frame.function(), static_cast<uint32_t>(profile.strings_size()));
  if (profile.sites().empty()) {
    EXPECT_EQ(profile.strings_size(), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Bounds, ProfileCut, testing::Values(300, 1024, 4096, 16384, 65536, 262144));

TEST(ProfileCutShares, PythonComesFirst) {
  ProfileSites sites;
  for (int i = 0; i < 100; ++i) sites.Add(MakeSite(&sites, Origin::kJvmHeap, i, 60, 1e12 + i));
  for (int i = 100; i < 104; ++i) sites.Add(MakeSite(&sites, Origin::kPython, i, 12, 1000 + i));
  proto::TaskProfile profile;
  WriteSites(sites, 16384, &profile);
  uint64_t python = 0;
  for (const proto::Site& site : profile.sites()) python += site.origin() == proto::ORIGIN_PYTHON;
  EXPECT_EQ(python, 4u);
  EXPECT_GT(profile.sites_size(), 4);
}

TEST(ProfileCutShares, InAHeartbeatTheFirstStackIsOfTheOriginThatHeldMost) {
  for (const bool cache : {true, false}) {
    ProfileSites sites;
    for (int i = 0; i < 10; ++i) sites.Add(MakeSite(&sites, Origin::kJvmHeap, i, 60, 1e12 + i));
    sites.Add(MakeSite(&sites, Origin::kPython, 10, 8, cache ? 1'000'003 : 900'000'001));
    sites.Add(MakeSite(&sites, Origin::kJvmOffHeap, 11, 40, 500'000'003));
    proto::TaskProfile profile;
    WriteSites(sites, 4096, &profile);
    ASSERT_GE(profile.sites_size(), 1);
    EXPECT_EQ(profile.sites(0).origin(), cache ? proto::ORIGIN_JVM_OFFHEAP : proto::ORIGIN_PYTHON);
  }
}

TEST(ProfileCutShares, LargestAllocatedAndLargestAtThePeakTakeTurns) {
  ProfileSites sites;
  for (int i = 0; i < 200; ++i) sites.Add(MakeSite(&sites, Origin::kPython, i, 12, 100'003 + i));
  ProfileSite scratch = MakeSite(&sites, Origin::kPython, 200, 12, 7'000'003);
  scratch.live_at_peak_bytes = 0;
  sites.Add(scratch);
  proto::TaskProfile profile;
  WriteSites(sites, 16384, &profile);
  ASSERT_LT(profile.sites_size(), 200);
  ASSERT_GE(profile.sites_size(), 2);
  EXPECT_EQ(profile.sites(0).allocated_bytes(), 100'202u);
  EXPECT_EQ(profile.sites(1).allocated_bytes(), 7'000'003u);
}

TEST(ProfileCutShares, InAHeartbeatTheUsersOwnLineComesBeforeImports) {
  ProfileSites sites;
  for (int i = 0; i < 20; ++i) {
    ProfileFrame import;
    import.language = Language::kPython;
    import.function = "_find_and_load";
    import.file = "<frozen importlib._bootstrap>";
    ProfileSite site = MakeSite(&sites, Origin::kPython, i, 10, 3'000'017 + i);
    site.stack = sites.AddNode(site.stack, sites.AddFrame(import));
    sites.Add(site);
  }
  ProfileSite block = MakeSite(&sites, Origin::kPython, 20, 10, 2'100'012);
  block.live_at_peak_bytes = 0;
  sites.Add(block);
  proto::TaskProfile profile;
  WriteSites(sites, 2048, &profile);
  ASSERT_GE(profile.sites_size(), 1);
  EXPECT_LT(profile.sites_size(), 20);
  EXPECT_EQ(profile.sites(0).allocated_bytes(), 2'100'012u);
}

TEST(ProfileCutShares, ASiteThatDoesNotFitKeepsOutNoneAfterIt) {
  ProfileSites sites;
  sites.Add(MakeSite(&sites, Origin::kPython, 1, 200, 9'000'011));  // heaviest, and larger than the message
  for (int i = 2; i < 6; ++i) sites.Add(MakeSite(&sites, Origin::kPython, i, 6, 1000 + i));
  proto::TaskProfile profile;
  WriteSites(sites, 4096, &profile);
  EXPECT_EQ(profile.sites_size(), 4);
  ASSERT_EQ(profile.remainders_size(), 1);
  EXPECT_EQ(profile.remainders(0).sites(), 1u);
  EXPECT_EQ(profile.remainders(0).allocated_bytes(), 9'000'011u);
}

TEST(ProfileCutShares, NoFigureIsLargerThanTheDriverTakes) {
  ProfileSites sites;
  ProfileSite site = MakeSite(&sites, Origin::kPython, 1, 6, 0x1p56);
  for (int i = 0; i < 300; ++i) sites.Add(site);
  proto::TaskProfile profile;
  WriteSites(sites, 4096, &profile);
  ASSERT_EQ(profile.sites_size(), 1);
  EXPECT_EQ(profile.sites(0).allocated_bytes(), uint64_t{1} << 56);
}

TEST(ProfileSitesMerge, SessionsOfOneTaskAddUp) {
  ProfileSites sites;
  ProfileSite site = MakeSite(&sites, Origin::kPython, 1, 4, 100);
  sites.Add(site);
  site.resident_at_peak_bytes = 40;
  sites.Add(site);
  ASSERT_EQ(sites.sites().size(), 1u);
  EXPECT_EQ(sites.sites()[0].allocated_bytes, 200);
  EXPECT_EQ(sites.sites()[0].live_at_peak_bytes, 100);
  EXPECT_EQ(sites.sites()[0].resident_at_peak_bytes, 40);  // read in one of them only
  EXPECT_EQ(sites.sites()[0].live_bytes, std::nullopt);    // never read
}

TEST(ProfileCut, LeftoversTakeAnEighthOfTheRoomAtMost) {
  for (const size_t max_bytes : {700u, 2000u, 16'000u, 64'000u}) {
    ProfileSites sites;
    ProfileLeftovers leftovers;
    leftovers.pid = 4711;
    leftovers.session = 3;
    for (int i = 0; i < 200; ++i) {
      ProfileSite site = MakeSite(&sites, Origin::kPython, i, 4, 1000);
      sites.Add(site);
      leftovers.sites.push_back({site.stack, 1'000'003.0 + i});
    }
    sites.Add(leftovers);
    proto::TaskProfile profile;
    WriteSites(sites, max_bytes, &profile);
    EXPECT_LE(profile.ByteSizeLong(), max_bytes);
    ASSERT_EQ(profile.leftovers_size(), 1) << max_bytes;
    const proto::Leftovers& sent = profile.leftovers(0);
    EXPECT_EQ(sent.complete(), sent.sites_size() == 200);
    for (int i = 0; i < sent.sites_size(); ++i)
      EXPECT_EQ(sent.sites(i).live_bytes(), 1'000'202u - static_cast<uint64_t>(i)) << "largest first";
    EXPECT_LE(sent.ByteSizeLong(), max_bytes / 8);
    EXPECT_GT(profile.sites_size() + profile.remainders_size(), 0);
  }
}

}  // namespace
}  // namespace memprof
