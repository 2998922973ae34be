#include "profile/source_lines.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "temporary_directory.h"

namespace memprof {
namespace {

class SourceLinesTest : public testing::Test {
 protected:
  std::string File(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    return folder_ + "/" + name;
  }
  std::map<uint32_t, std::string> Read(const std::string& path, const std::set<uint32_t>& lines) const {
    return ReadSourceLines(path, lines, redaction_);
  }

  TemporaryDirectory directory_;
  const std::string folder_ = directory_.path();
  Redaction redaction_ = *Redaction::Make(Redaction::kDefault);
};

using Lines = std::map<uint32_t, std::string>;

TEST_F(SourceLinesTest, LinesWithoutTheSpaceAroundThem) {
  const std::string path = File("job.py", "import os\n\n\tscratch = lib.allocate(n)  \r\nlast = 1");
  EXPECT_EQ(Read(path, {1, 3, 4}), (Lines{{1, "import os"}, {3, "scratch = lib.allocate(n)"}, {4, "last = 1"}}));
  EXPECT_EQ(Read(path, {0}), Lines()) << "lines are counted from 1";
  EXPECT_EQ(Read(path, {2, 5, 900}), Lines()) << "empty, or beyond the end";
}

TEST_F(SourceLinesTest, SecretsAreHidden) {
  const std::string path = File("job.py", "connect(PASSWORD='hunter2')\nuse(Access.Key)\nplain = 1\nCredentials('x')\nuse(apiKey='x')\n");
  EXPECT_EQ(Read(path, {1, 2, 3}), (Lines{{1, "(redacted)"}, {2, "(redacted)"}, {3, "plain = 1"}}));
  EXPECT_EQ(Read(path, {4, 5}), (Lines{{4, "(redacted)"}, {5, "(redacted)"}}));
  const Redaction own = *Redaction::Make("plai[n]");
  EXPECT_EQ(ReadSourceLines(path, {1, 3}, own), (Lines{{1, "connect(PASSWORD='hunter2')"}, {3, "(redacted)"}}));
}

TEST_F(SourceLinesTest, SecretsBehindTheShownPartAreHiddenToo) {
  const std::string padding(200, 'x');
  const std::string path = File("job.py", "connect('hunter2', " + padding + ", kind='password')\n" + std::string(1001, 'y') + "\n");
  EXPECT_EQ(Read(path, {1, 2}), (Lines{{1, "(redacted)"}, {2, "(redacted)"}})) << "the second is too long to be searched";
}

TEST_F(SourceLinesTest, ARegexThatJavaReadsOtherwiseIsRefused) {
  for (const char* regex : {"(?<=secret)x", "\\Qapi.key\\E", "\\Asecret", "\\h", "\\p{L}", "(a)\\1", "[a[bc]]", "[a-z&&[^b]]", "\\w++x",
                            "a*+", "(\\w+)+x", "(a|aa)*b", "(x{2}){3}", "(?i:secret)", "a(?i)b", "[]a]", "(", "\\"}) {
    EXPECT_EQ(Redaction::Make(regex).status().code(), ErrorCode::kInvalidArgument) << regex;
  }
  for (const char* regex :
       {"(?i)secret|password|token|access[.]?key", "\\bpin\\b", "a+?b", "(?:key|pin)?=", "[^a-z_]x{2,3}", "p\\.k", ""}) {
    EXPECT_TRUE(Redaction::Make(regex).ok()) << regex;
  }
}

TEST_F(SourceLinesTest, LongAndForeignTextIsMadeToFit) {
  std::string greek;
  for (int i = 0; i < 200; ++i) greek += "α";
  const std::string path = File("job.py", "x" + greek + "\nlatin = '\xe9'\n");
  const Lines lines = Read(path, {1, 2});
  EXPECT_EQ(lines.at(1), "x" + greek.substr(0, 158) + "…") << "cut between two characters";
  EXPECT_EQ(lines.at(2), "latin = '\xEF\xBF\xBD'");
}

TEST_F(SourceLinesTest, WhatIsNoFileIsNotRead) {
  EXPECT_EQ(Read(folder_ + "/gone.py", {1}), Lines());
  EXPECT_EQ(Read(folder_, {1}), Lines());
  const std::string pipe = folder_ + "/pipe.py";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Read(pipe, {1}), Lines()) << "nobody writes to it: nobody waits";
  EXPECT_EQ(Read(File("large.py", std::string((8u << 20) + 1, 'x')), {1}), Lines());
}

// An archive with pkg/mod.py, deflated: "import os\nblock = bytearray(2_400_011)\n" with 50 lines of "pass" between.
TEST_F(SourceLinesTest, MembersOfArchives) {
  const std::string made = "import zipfile; z = zipfile.ZipFile('" + folder_ + "/helpers.zip', 'w', zipfile.ZIP_DEFLATED); " +
                           "z.writestr('pkg/mod.py', 'import os\\n' + 50 * 'pass\\n' + 'block = bytearray(2_400_011)\\n'); z.close()";
  ASSERT_EQ(system(("python3 -c \"" + made + "\"").c_str()), 0);
  const std::string archive = folder_ + "/helpers.zip";
  EXPECT_EQ(Read(archive + "/pkg/mod.py", {1, 52}), (Lines{{1, "import os"}, {52, "block = bytearray(2_400_011)"}}));
  EXPECT_EQ(Read(archive + "/pkg/gone.py", {1}), Lines());
  EXPECT_EQ(Read(archive + "/pkg", {1}), Lines());
  EXPECT_EQ(Read(File("no.zip", "PK but no archive") + "/pkg/mod.py", {1}), Lines());
  for (const uintmax_t size : {std::filesystem::file_size(archive) / 2, uintmax_t{30}}) {
    std::filesystem::resize_file(archive, size);
    EXPECT_EQ(Read(archive + "/pkg/mod.py", {1}), Lines()) << "cut off after " << size;
  }
}

TEST_F(SourceLinesTest, OnlyTheUsersFramesThatAreSent) {
  ProfileSites sites;
  sites.NotePath("job.py", "/w/job.py");
  sites.NotePath("other.py", "/w/other.py");
  proto::TaskProfile profile;
  for (const char* text : {"", "job.py", "worker.py"}) profile.add_strings(text);
  const auto add = [&](proto::Language language, uint32_t file, uint32_t line) {
    proto::Frame* frame = profile.add_frames();
    frame->set_language(language);
    frame->set_file(file);
    frame->set_line(line);
  };
  add(proto::PYTHON, 1, 7);
  add(proto::PYTHON, 1, 7);
  add(proto::PYTHON, 1, 3);
  add(proto::PYTHON, 2, 9);
  add(proto::NATIVE, 1, 11);
  EXPECT_EQ(SourceLinesOf(profile, sites), (std::vector<SourceLineKey>{{"/w/job.py", "job.py", 3}, {"/w/job.py", "job.py", 7}}));
}

TEST_F(SourceLinesTest, ManyLinesAreSeveralMessages) {
  std::string text;
  std::vector<SourceLineKey> keys;
  for (uint32_t line = 1; line <= 300; ++line) text += "line_" + std::to_string(line) + "()\n";
  const std::string path = File("job.py", text);
  for (uint32_t line = 1; line <= 300; ++line) keys.push_back({path, "job.py", line});
  std::vector<int> sizes;
  ReadSourceLines(keys, redaction_, [&](proto::Symbols message) {
    sizes.push_back(message.source_lines_size());
    EXPECT_EQ(message.source_lines(0).text(), "line_" + std::to_string(message.source_lines(0).line()) + "()");
  });
  EXPECT_EQ(sizes, (std::vector<int>{256, 44}));
}

}  // namespace
}  // namespace memprof
