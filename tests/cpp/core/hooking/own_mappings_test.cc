#include "hooking/own_mappings.h"

#include <gtest/gtest.h>

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
    EXPECT_TRUE(MapsForItself(path)) << path;
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
    EXPECT_FALSE(MapsForItself(path)) << path;
  }
}

}  // namespace
}  // namespace memprof
