#include "tasks/thread_buckets.h"

#include <gmock/gmock.h>
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
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

TEST(ThreadBuckets, NoByteIsLostBeyondTheBounds) {
  ThreadBuckets buckets;
  constexpr int kThreads = 300, kRows = 24;
  static_assert(kThreads > ThreadBuckets::kMaxBuckets);
  double sum = 0;
  for (int i = 0; i < kThreads; ++i) {
    std::thread([&] {
      buckets.SetThisThread("thread " + std::to_string(i));
      buckets.AddToThisThread(ThreadBuckets::Kind::kHeap, 1009 + i);
    }).join();
    sum += 1009 + i;
  }
  const auto rows = buckets.Largest(ThreadBuckets::Kind::kHeap, kRows);
  ASSERT_EQ(rows.size(), static_cast<size_t>(kRows));
  EXPECT_EQ(rows.front().first, "thread 255") << "the largest of those that have a bucket";
  EXPECT_EQ(rows.back().first, "other threads");
  EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), 0.0, [](double all, const auto& row) { return all + row.second; }), sum);
}

// JVMTI is a stand-in here.
TEST(ThreadBuckets, AnUnnamedThreadOfNoServiceIsAskedOnceWithoutJni) {
  static int asked = 0;
  jvmtiInterface_1_ functions{};
  functions.GetThreadInfo = [](jvmtiEnv*, jthread, jvmtiThreadInfo* info) {
    ++asked;
    *info = {};
    info->name = strdup("Thread-17");
    return JVMTI_ERROR_NONE;
  };
  functions.Deallocate = [](jvmtiEnv*, unsigned char* memory) {
    free(memory);
    return JVMTI_ERROR_NONE;
  };
  functions.GetStackTrace = [](jvmtiEnv*, jthread, jint, jint, jvmtiFrameInfo*, jint*) { return JVMTI_ERROR_ILLEGAL_ARGUMENT; };
  jvmtiEnv jvmti{};
  jvmti.functions = &functions;
  ThreadBuckets buckets;
  std::thread([&] {
    pthread_setname_np(pthread_self(), "Thread-17");
    for (int i = 0; i < 3; ++i) buckets.Add(ThreadBuckets::Kind::kNative, buckets.OfThisThread(&jvmti, nullptr), 1'000'003);
  }).join();
  EXPECT_THAT(buckets.Largest(ThreadBuckets::Kind::kNative, 9), ElementsAre(Pair("thread Thread-#", 3'000'009)));
  EXPECT_EQ(asked, 1) << "each time leaves references";
}

}  // namespace
}  // namespace memprof
