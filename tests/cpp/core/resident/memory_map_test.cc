#include "resident/memory_map.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace memprof {
namespace {

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));

class MemoryMapTest : public testing::Test {
 protected:
  std::unique_ptr<MapScratch> owner_ = std::make_unique<MapScratch>();
  MapScratch& scratch_ = *owner_;
};

TEST_F(MemoryMapTest, ListsEveryMappingWithItsRights) {
  // So many that their list is longer than what is read at once; every second one keeps its neighbours apart.
  constexpr size_t kMappings = 301;
  char* room = static_cast<char*>(mmap(nullptr, 2 * kMappings * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(room, MAP_FAILED);
  for (size_t i = 0; i < kMappings; ++i) ASSERT_EQ(mprotect(room + 2 * i * kPage, kPage, PROT_READ | PROT_WRITE), 0);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(room);
  const std::string executable = std::filesystem::read_symlink("/proc/self/exe");
  size_t writable = 0, guards = 0;
  bool stack = false, program = false;
  ASSERT_TRUE(VisitMappings(scratch_, [&](const Mapping& mapping) {
    stack |= mapping.Named("[stack]");
    program |= mapping.of_file && mapping.executable && std::string(mapping.name, mapping.name_size) == executable;
    if (mapping.begin < begin || mapping.end > begin + 2 * kMappings * kPage) return;
    EXPECT_EQ(mapping.end - mapping.begin, kPage);
    EXPECT_TRUE(mapping.is_private && !mapping.of_file && !mapping.executable && mapping.name_size == 0);
    EXPECT_EQ(mapping.readable, mapping.writable);
    ++(mapping.writable ? writable : guards);
  }));
  EXPECT_EQ(writable, kMappings);
  EXPECT_GE(guards, kMappings - 1);  // the last may have joined a neighbour
  EXPECT_TRUE(stack);
  EXPECT_TRUE(program);
  munmap(room, 2 * kMappings * kPage);
}

TEST_F(MemoryMapTest, PagesOfAFileThatWereWrittenToAreItsOwn) {
  char path[] = "/tmp/memprof-test-XXXXXX";
  const int fd = mkstemp(path);
  unlink(path);
  constexpr size_t kPages = 1301;  // more than are asked for at once
  const std::vector<char> content(kPages * kPage, 'x');
  ASSERT_EQ(write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
  char* mapping = static_cast<char*>(mmap(nullptr, content.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
  ASSERT_NE(mapping, MAP_FAILED);
  for (size_t i = 0; i < kPages; ++i) ASSERT_EQ(mapping[i * kPage], 'x');
  for (const size_t page : {3, 7, 1299}) mapping[page * kPage] = 'y';
  const uintptr_t begin = reinterpret_cast<uintptr_t>(mapping);
  EXPECT_EQ(PageMap().OwnBytes(scratch_, begin, begin + content.size()), 3 * kPage);
  munmap(mapping, content.size());
  close(fd);
}

TEST_F(MemoryMapTest, SharedPagesAreTheKernelsFigures) {
  SharedPages before, after;
  ASSERT_TRUE(ReadSharedPages(scratch_, &before));
  const size_t size = 5003 * kPage;
  char* mapping = static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0));
  ASSERT_TRUE(ReadSharedPages(scratch_, &after));
  EXPECT_GE(after.shmem_bytes, before.shmem_bytes + size);
  EXPECT_GE(after.rss_bytes, before.rss_bytes + size);
  EXPECT_GT(after.file_bytes, 0u);
  munmap(mapping, size);
}

}  // namespace
}  // namespace memprof
