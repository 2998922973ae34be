#include "symbols/symbolizer.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/system/file_tree.h"
#include "symbols/elf_file.h"

namespace memprof {
namespace {

// Addresses as a hook records them: relative to where the library was loaded.
class Fixture {
 public:
  Fixture() {
    library_ = dlopen(MEMPROF_SYMBOLS_WHOLE, RTLD_NOW | RTLD_LOCAL);
    exported_ = Relative(dlsym(library_, "fixture_exported"));
    method_ = Relative(dlsym(library_, "_ZNK4shop6Basket5WeighEi"));
    auto hidden = reinterpret_cast<void* (*)()>(dlsym(library_, "fixture_hidden_address"));
    hidden_ = Relative(hidden());
  }
  ~Fixture() { dlclose(library_); }

  // The address behind the function's first byte stands for a return address inside it.
  std::vector<uint64_t> Returns() const { return {exported_ + 1, method_ + 1, hidden_ + 1}; }
  uint64_t exported() const { return exported_; }

 private:
  static uint64_t Relative(void* address) {
    Dl_info info;
    dladdr(address, &info);
    return static_cast<uint64_t>(static_cast<char*>(address) - static_cast<char*>(info.dli_fbase));
  }
  void* library_;
  uint64_t exported_, method_, hidden_;
};

// Functions by their names alone: the ones that the linker knows.
Result<std::vector<std::string>> NameFunctions(const std::string& module, const std::string& build_id, const std::vector<uint64_t>& returns,
                                               const std::string& debug_root = "/nonexistent") {
  const auto found = Symbolize(module, build_id, returns, {.debug_root = debug_root});
  if (!found.ok()) return found.status();
  std::vector<std::string> names;
  for (const SourceCalls& calls : found->calls) names.push_back(calls.front().function);
  return names;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Symbolizer, NamesExportedAndLocalFunctions) {
  const auto names = NameFunctions(MEMPROF_SYMBOLS_WHOLE, "", Fixture().Returns());
  ASSERT_TRUE(names.ok()) << names.status().message();
  EXPECT_THAT(*names, testing::ElementsAre("fixture_exported", "shop::Basket::Weigh(int) const", "(anonymous namespace)::Hidden(int)"));
}

TEST(Symbolizer, NamesAreBoundedAndUtf8) {
  EXPECT_EQ(ShownName("weigh\xFF\xC3"), "weigh\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(ShownName(std::string(511, 'a') + "\xC3\xA9" + "z"), std::string(511, 'a')) << "not cut within a character";
  EXPECT_EQ(ShownName(std::string(90'001, 'a')).size(), kMaxNameBytes);
}

TEST(Symbolizer, AReturnAddressBelongsToTheCallBeforeIt) {
  const uint64_t begin = Fixture().exported();
  const auto names = NameFunctions(MEMPROF_SYMBOLS_WHOLE, "", {begin, begin + 1});
  ASSERT_TRUE(names.ok());
  EXPECT_NE((*names)[0], "fixture_exported");
  EXPECT_EQ((*names)[1], "fixture_exported");
}

TEST(Symbolizer, AStrippedLibraryHasItsExportedNamesOnly) {
  const auto names = NameFunctions(MEMPROF_SYMBOLS_STRIPPED, "", Fixture().Returns(), "/nonexistent");
  ASSERT_TRUE(names.ok());
  EXPECT_THAT(*names, testing::ElementsAre("fixture_exported", "shop::Basket::Weigh(int) const", ""));
}

TEST(Symbolizer, TheDebugFileHasTheRest) {
  const Result<ElfFile> file = ElfFile::Open(MEMPROF_SYMBOLS_STRIPPED);
  ASSERT_TRUE(file.ok());
  const std::string id = file->build_id();
  ASSERT_EQ(id.size(), 40u);
  FileTree tree;
  tree.Write(".build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug", ReadAll(MEMPROF_SYMBOLS_DEBUG));
  const auto names = NameFunctions(MEMPROF_SYMBOLS_STRIPPED, id, Fixture().Returns(), tree.root());
  ASSERT_TRUE(names.ok());
  EXPECT_EQ((*names)[2], "(anonymous namespace)::Hidden(int)");
}

TEST(Symbolizer, AReplacedFileIsNotAsked) {
  const auto names = NameFunctions(MEMPROF_SYMBOLS_WHOLE, "00112233445566778899aabbccddeeff00112233", Fixture().Returns());
  EXPECT_EQ(names.status().code(), ErrorCode::kNotFound);
}

TEST(Symbolizer, OtherFilesAreRefused) {
  FileTree tree;
  tree.Write("text", "not an ELF file at all, but longer than an ELF header, so that only its magic number tells them apart");
  EXPECT_EQ(NameFunctions(tree.Path("text"), "", {1}).status().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(NameFunctions(tree.Path("none"), "", {1}).status().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(NameFunctions(tree.root(), "", {1}).ok());
  EXPECT_FALSE(NameFunctions("/dev/zero", "", {1}).ok());
}

// Whatever a broken file says, it ends in a status or in names, never outside of the file.
TEST(Symbolizer, BrokenFilesEndInAStatus) {
  const std::string whole = ReadAll(MEMPROF_SYMBOLS_WHOLE);
  const std::vector<uint64_t> addresses = Fixture().Returns();
  FileTree tree;
  for (size_t length = 0; length < whole.size(); length += whole.size() / 97 + 1) {
    tree.Write("cut", whole.substr(0, length));
    [[maybe_unused]] const auto names = NameFunctions(tree.Path("cut"), "", addresses);
  }
  uint32_t random = 12345;
  for (int round = 0; round < 400; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 8; ++i) {
      random = random * 1664525u + 1013904223u;
      const size_t headers = whole.size() - 40 * 64;  // most of the damage hits the two ends, where the headers are
      const size_t at = random % 3 == 0 ? random % 64 : random % 3 == 1 ? headers + random % (40 * 64) : random % whole.size();
      bytes[at] = static_cast<char>(random >> 24);
    }
    tree.Write("damaged", bytes);
    [[maybe_unused]] const auto names = NameFunctions(tree.Path("damaged"), "", addresses);
  }
}

}  // namespace
}  // namespace memprof
