#include "symbols/debug_lines.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/system/file_tree.h"
#include "symbols/symbolizer.h"

namespace memprof {
namespace {

// Where calls of a library return to, as a hook records them: relative to where it was loaded.
struct Returns {
  explicit Returns(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    if (library == nullptr) return;
    plain = Of(library, "lines_plain");
    inlined = Of(library, "lines_inlined");
    dlclose(library);
  }
  std::vector<uint64_t> All() const { return {plain, inlined}; }

  uint64_t plain = 0, inlined = 0;

 private:
  static uint64_t Of(void* library, const char* name) {
    void* address = reinterpret_cast<void* (*)()>(dlsym(library, name))();
    Dl_info info;
    dladdr(address, &info);
    return static_cast<uint64_t>(static_cast<char*>(address) - static_cast<char*>(info.dli_fbase));
  }
};

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

MATCHER_P2(Calls, function, line, "") {
  return arg.function == function && arg.line == line && arg.file.ends_with("/tests/cpp/core/symbols/lines_fixture.cc");
}

void DemandLines(const Symbolized& found) {
  ASSERT_EQ(found.calls.size(), 2u);
  EXPECT_THAT(found.calls[0], testing::ElementsAre(Calls("lines_plain", 31u)));
  EXPECT_THAT(found.calls[1], testing::ElementsAre(Calls("stall::Outermost()", 23u), Calls("stall::Middle()", 17u),
                                                   Calls("void* stall::Innermost<3>()", 13u)))
      << "outermost first";
  EXPECT_FALSE(found.lines_left_out);
}

class DebugLinesOf : public testing::TestWithParam<const char*> {};

TEST_P(DebugLinesOf, GivesFileLineAndInlinedFunctions) {
  const auto found = Symbolize(GetParam(), "", Returns(GetParam()).All(), {.debug_root = "/nonexistent"});
  ASSERT_TRUE(found.ok()) << found.status().message();
  DemandLines(*found);
}

INSTANTIATE_TEST_SUITE_P(Forms, DebugLinesOf, testing::Values(MEMPROF_LINES_DWARF_4, MEMPROF_LINES_DWARF_5, MEMPROF_LINES_COMPRESSED),
                         [](const auto& form) {
                           return std::string(form.index == 0 ? "Dwarf4" : form.index == 1 ? "Dwarf5" : "Compressed");
                         });

TEST(DebugLines, AreLookedForInTheSeparateDebugFile) {
  const Result<ElfFile> file = ElfFile::Open(MEMPROF_LINES_STRIPPED);
  ASSERT_TRUE(file.ok());
  const std::string id = file->build_id();
  FileTree tree;
  tree.Write(".build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug", ReadAll(MEMPROF_LINES_DEBUG));
  const std::vector<uint64_t> returns = Returns(MEMPROF_LINES_STRIPPED).All();
  const auto found = Symbolize(MEMPROF_LINES_STRIPPED, id, returns, {.debug_root = tree.root()});
  ASSERT_TRUE(found.ok());
  DemandLines(*found);
  const auto without = Symbolize(MEMPROF_LINES_STRIPPED, id, returns, {.debug_root = "/nonexistent"});
  ASSERT_TRUE(without.ok());
  EXPECT_EQ(without->calls[0], SourceCalls({{"lines_plain", "", 0}}));
  EXPECT_FALSE(without->lines_left_out) << "there are none";
}

// Beyond the bound a module has its names, and it is told that lines are missing.
TEST(DebugLines, AreLeftOutBeyondTheirBound) {
  const std::vector<uint64_t> returns = Returns(MEMPROF_LINES_DWARF_5).All();
  size_t fits = 0;
  for (size_t bound = 0; bound < 65536; bound += 61) {
    const auto found = Symbolize(MEMPROF_LINES_DWARF_5, "", returns, {.debug_bytes = bound});
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->calls[0].front().function, "lines_plain");
    ASSERT_EQ(found->calls[1].front().function, "stall::Outermost()");
    if (!found->lines_left_out && fits == 0) fits = bound;
    if (!found->lines_left_out) DemandLines(*found);
  }
  EXPECT_GT(fits, 1000u);
}

TEST(DebugLines, AnAddressInNoFunctionIsUnknown) {
  const Result<ElfFile> file = ElfFile::Open(MEMPROF_LINES_DWARF_5);
  ASSERT_TRUE(file.ok());
  Result<DebugLines> lines = DebugLines::Read(*file, 1 << 20);
  ASSERT_TRUE(lines.ok());
  for (const uint64_t address : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 40, UINT64_MAX}) EXPECT_TRUE(lines->Find(address).empty());
}

// A function that is its own specification, and a million blocks in one another, must not use up the thread's stack.
TEST(DebugLines, DamageWithoutEndEndsInAStatus) {
  const auto calls_of = [](int damage) {
    const std::string library_name = "liblines_damaged_" + std::to_string(damage) + ".so";
    const std::string path = std::filesystem::path(MEMPROF_LINES_DWARF_5).replace_filename(library_name);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    const Result<ElfFile> file = ElfFile::Open(path);
    if (library == nullptr || !file.ok()) return SourceCalls();
    void* function = dlsym(library, "damaged_here");
    Dl_info info = {};
    dladdr(function, &info);
    const auto address = static_cast<uint64_t>(static_cast<char*>(function) - static_cast<char*>(info.dli_fbase));
    dlclose(library);
    Result<DebugLines> lines = DebugLines::Read(*file, 8u << 20);
    return lines.ok() ? lines->Find(address + 1) : SourceCalls();
  };
  EXPECT_EQ(calls_of(0), SourceCalls({{"declared_so", "damaged.c", 41}})) << "the form is one that is read";
  EXPECT_EQ(calls_of(1), SourceCalls({{"", "damaged.c", 41}}));
  EXPECT_EQ(calls_of(2), SourceCalls({{"", "damaged.c", 41}}));
  EXPECT_EQ(calls_of(3), SourceCalls()) << "nothing of the file is known";
}

// Whatever damaged debug information says, it ends in a status or in calls, never outside of what was read.
TEST(DebugLines, DamageEndsInAStatus) {
  const std::string whole = ReadAll(MEMPROF_LINES_DWARF_5);
  const std::vector<uint64_t> returns = Returns(MEMPROF_LINES_DWARF_5).All();
  FileTree tree;
  uint32_t random = 54321;
  const auto next = [&] { return (random = random * 1664525u + 1013904223u) >> 8; };
  const size_t debug = whole.size() / 2;  // .debug_* lie in the second half
  for (int round = 0; round < 500; ++round) {
    std::string bytes = whole;
    for (uint32_t i = 0; i <= next() % 6; ++i) bytes[debug + next() % (whole.size() - debug)] = static_cast<char>(next());
    tree.Write("damaged", bytes);
    [[maybe_unused]] const auto found = Symbolize(tree.Path("damaged"), "", returns, {.debug_bytes = 4u << 20});
  }
}

}  // namespace
}  // namespace memprof
