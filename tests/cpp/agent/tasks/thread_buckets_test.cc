#include "tasks/thread_buckets.h"

#include <gmock/gmock.h>
#include <pthread.h>

#include <string>
#include <thread>

namespace memprof {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(ThreadBuckets, AThreadOfALibraryHasTheKernelsNameForIt) {
  ThreadBuckets buckets;
  for (const char* name : {"odd-runtime-17", "odd-runtime-4"}) {
    std::thread([&] {
      pthread_setname_np(pthread_self(), name);
      buckets.Add(ThreadBuckets::Kind::kNative, buckets.OfThisNativeThread(), 1'000'003);
    }).join();
  }
  EXPECT_THAT(buckets.Largest(ThreadBuckets::Kind::kNative, 9), ElementsAre(Pair("native thread odd-runtime-#", 2'000'006)));
  EXPECT_THAT(buckets.Largest(ThreadBuckets::Kind::kOffHeap, 9), ElementsAre());
  EXPECT_EQ(buckets.OfThisThreadIfKnown(), 0u) << "as a Java thread, it may have another name";
}

}  // namespace
}  // namespace memprof
