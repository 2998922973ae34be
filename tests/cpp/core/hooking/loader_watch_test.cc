#include "hooking/loader_watch.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "core/hooking/fixture.h"

namespace memprof {
namespace {

constexpr pid_t kHooked = 2'999'993;

void* original = nullptr;
pid_t Replacement() { return kHooked; }
const GotHook kHooks[] = {{"getppid", reinterpret_cast<void*>(&Replacement), &original}};

class LoaderWatchTest : public testing::Test {
 protected:
  void Start(bool (*spare)(const LoadedModule& module) = nullptr) {
    Status status = watch_->Start(kHooks, 1, spare);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  void TearDown() override { watch_->Stop(); }

  std::string PathAt(uintptr_t address) {
    const ModuleTable::Location location = watch_->modules().Find(address);
    return location.module == nullptr ? "" : std::string(location.module->path, location.module->path_size);
  }

  std::unique_ptr<LoaderWatch> watch_ = std::make_unique<LoaderWatch>();
};

TEST_F(LoaderWatchTest, WhatIsLoadedAtStartIsPatchedAndKnown) {
  Fixture fixture("relro");
  Start();
  EXPECT_EQ(fixture.Call(), kHooked);
  EXPECT_EQ(PathAt(fixture.Address()), fixture.path());
  watch_->Stop();
  EXPECT_EQ(fixture.Call(), getppid());
}

TEST_F(LoaderWatchTest, WhatComesLaterIsSeenOnRefresh) {
  Start();
  Fixture fixture("relro");
  EXPECT_EQ(fixture.Call(), getppid());
  EXPECT_EQ(PathAt(fixture.Address()), "");
  watch_->Refresh();
  EXPECT_EQ(fixture.Call(), kHooked);
  EXPECT_EQ(PathAt(fixture.Address()), fixture.path());
  EXPECT_EQ(watch_->unloaded(), 0u);
}

// Another thread may have looked before the library was there.
TEST_F(LoaderWatchTest, WhoLoadedALibraryWaitsForAnotherThreadsLook) {
  using Clock = std::chrono::steady_clock;
  Start();
  Fixture fixture("relro");
  bool longer_than_anybody_waits = true;  // on a busy machine
  while (longer_than_anybody_waits) {
    std::atomic<bool> looks = false;
    const Clock::time_point begun = Clock::now();
    watch_->PrepareFork();
    std::thread loading([&] {
      looks = true;
      watch_->RefreshAfterOthers();
    });
    while (!looks) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    watch_->AfterForkInParent();
    longer_than_anybody_waits = Clock::now() - begun > std::chrono::milliseconds(100);
    loading.join();
  }
  EXPECT_EQ(fixture.Call(), kHooked);
}

TEST_F(LoaderWatchTest, WhatIsUnloadedIsForgottenAndPatchedAnewWhenItComesBack) {
  Start();
  uintptr_t address;
  const ModuleTable::Identity* identity;
  {
    Fixture fixture("relro");
    watch_->Refresh();
    address = fixture.Address();
    identity = watch_->modules().Find(address).module;
    ASSERT_NE(identity, nullptr);
  }
  watch_->Refresh();
  EXPECT_EQ(watch_->unloaded(), 1u);
  EXPECT_EQ(PathAt(address), "");

  Fixture again("relro");
  watch_->Refresh();
  EXPECT_EQ(again.Call(), kHooked);
  EXPECT_EQ(watch_->modules().Find(again.Address()).module, identity) << "the same file is the same module";
}

TEST_F(LoaderWatchTest, ASparedModuleIsKnownButNotPatched) {
  static const Fixture* spared;
  Fixture fixture("lazy"), other("relro");
  spared = &fixture;
  Start([](const LoadedModule& module) { return spared->Is(module); });
  EXPECT_EQ(fixture.Call(), getppid());
  EXPECT_EQ(other.Call(), kHooked);
  EXPECT_EQ(PathAt(fixture.Address()), fixture.path());
}

// As after a fork in which another thread never let go of the mutex.
TEST_F(LoaderWatchTest, AChildThatLostTheMutexRefusesInsteadOfWaiting) {
  std::thread([this] { watch_->PrepareFork(); }).join();
  watch_->PrepareFork();  // waits in vain
  watch_->AfterForkInChild();
  EXPECT_EQ(watch_->Start(nullptr, 0).code(), ErrorCode::kUnsupported);
  watch_->Refresh();
  watch_->Stop();
}

TEST_F(LoaderWatchTest, ThreadsThatForkAtOnceGiveTheMutexBack) {
  Start();
  watch_->PrepareFork();
  std::thread([this] {
    watch_->PrepareFork();  // waits in vain
    watch_->AfterForkInParent();
  }).join();
  watch_->AfterForkInParent();
  watch_->PrepareFork();
  watch_->AfterForkInChild();
  EXPECT_TRUE(watch_->Start(nullptr, 0).ok()) << "the mutex was free";
}

TEST_F(LoaderWatchTest, TheMainProgramHasItsPath) {
  Start();
  EXPECT_EQ(PathAt(reinterpret_cast<uintptr_t>(&Replacement)), std::filesystem::read_symlink("/proc/self/exe").string());
}

}  // namespace
}  // namespace memprof
