#include "hooking/own_mappings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

namespace memprof {
namespace {

TEST(OwnMappings, LibrariesAreKnownByTheirNames) {
  for (const char* path : {
           "/venv/lib/python3.11/site-packages/numpy.libs/libscipy_openblas64_-ff651d7f.so",
           "/opt/conda/lib/libopenblasp-r0.3.21.so",
           "/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3",
           "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2",
           "libmimalloc.so.2",
           "/usr/lib/libtcmalloc_minimal.so.4",
           "/venv/lib/libtbbmalloc.so.2",
       }) {
    EXPECT_TRUE(IsNameOfOwnMapper(path)) << path;
  }
}

TEST(OwnMappings, OthersMayMapASingleBlock) {
  for (const char* path : {
           "",
           "/",
           "/usr/bin/python3.11",
           "/usr/lib/python3.11/lib-dynload/mmap.cpython-311-x86_64-linux-gnu.so",
           "/srv/openblas/venv/lib/libown.so",
           "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3",
       }) {
    EXPECT_FALSE(IsNameOfOwnMapper(path)) << path;
  }
}

bool MapsForItself(const std::string& path) {
  ModuleTable::Identity library;
  library.path = path.data();
  library.path_size = static_cast<uint32_t>(path.size());
  errno = EDOM;
  const bool does = memprof::MapsForItself(library);
  EXPECT_EQ(errno, EDOM);
  EXPECT_EQ(memprof::MapsForItself(library), does) << "asked again";
  return does;
}

TEST(OwnMappings, LinksAreFollowed) {
  const std::filesystem::path folder = ::testing::TempDir() + "memprof_own_mappings_" + std::to_string(getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "alternatives");
  std::ofstream(folder / "libopenblasp-r0.3.21.so") << "x";
  std::ofstream(folder / "libblas.so.3.10") << "x";
  std::filesystem::create_symlink("libopenblasp-r0.3.21.so", folder / "libcblas.so.3");
  std::filesystem::create_symlink(folder / "libcblas.so.3", folder / "alternatives/libblas.so.3");
  std::filesystem::create_symlink("alternatives/libblas.so.3", folder / "libblas.so.3");
  std::filesystem::create_symlink("libblas.so.3.10", folder / "libreference.so.3");
  std::filesystem::create_symlink("gone", folder / "libgone.so");
  std::filesystem::create_symlink("libround.so", folder / "libround.so");

  EXPECT_TRUE(MapsForItself(folder / "libcblas.so.3"));
  EXPECT_TRUE(MapsForItself(folder / "libblas.so.3")) << "over two links and another folder";
  EXPECT_TRUE(MapsForItself(folder / "libopenblasp-r0.3.21.so"));
  EXPECT_FALSE(MapsForItself(folder / "libreference.so.3"));
  EXPECT_FALSE(MapsForItself(folder / "libgone.so"));
  EXPECT_FALSE(MapsForItself(folder / "libround.so")) << "which leads to itself";
  EXPECT_FALSE(MapsForItself("linux-vdso.so.1"));
  EXPECT_FALSE(MapsForItself("/" + std::string(2000, 'x')));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace memprof
