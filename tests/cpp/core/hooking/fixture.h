// Opens the fixture libraries (fixture.cc). They lie beside the test program, in the folder hooking_fixtures.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <string>

#include "hooking/loaded_module.h"

namespace memprof {

inline std::string FixturePath(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "hooking_fixtures" / ("lib" + name + ".so");
}

// One library, open as long as this object lives.
class Fixture {
 public:
  explicit Fixture(const std::string& name, int flags = 0)
      : path_(FixturePath(name)), handle_(dlopen(path_.c_str(), RTLD_LAZY | RTLD_LOCAL | flags)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  ~Fixture() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  pid_t Call() const { return Function<pid_t()>("fixture_call")(); }
  pid_t CallThroughData() const { return Function<pid_t()>("fixture_call_through_data")(); }
  uintptr_t Address() const { return reinterpret_cast<uintptr_t>(Function<void*()>("fixture_call")); }
  const std::string& path() const { return path_; }

  bool Is(const LoadedModule& module) const { return module.Contains(Address()); }

 private:
  template <typename Signature>
  Signature* Function(const char* name) const {
    return reinterpret_cast<Signature*>(dlsym(handle_, name));
  }

  std::string path_;
  void* handle_;
};

}  // namespace memprof
