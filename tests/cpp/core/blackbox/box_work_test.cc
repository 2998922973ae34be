// Boxes that would be much work: each is given up, or read in few steps. Work is counted, not timed.
#include "blackbox/box_work.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "blackbox/layout.h"
#include "core/blackbox/valid_box.h"
#include "core/sites/recorder_fixture.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;

class BoxWorkTest : public RecorderTest {
 protected:
  void SetUp() override {
    Start(kInterval, 1u << 20);
    bytes_ = RecordValidBox(*recorder_);
  }

  box::Header Header() const {
    box::Header header;
    memcpy(&header, bytes_.data(), sizeof header);
    return header;
  }
  void SetHeader(box::Header header) {
    header.file_bytes = bytes_.size();
    header.checksum = box::HeaderChecksum(header);
    memcpy(bytes_.data(), &header, sizeof header);
  }

  // Puts a table of empty records to the end of the file.
  void Enlarge(box::TableKind kind, uint32_t capacity) {
    box::Header header = Header();
    box::Table& table = header.tables[kind];
    table.offset = (bytes_.size() + 63) / 64 * 64;
    table.capacity = capacity;
    bytes_.resize(table.offset + uint64_t{capacity} * table.record_bytes);
    SetHeader(header);
  }

  template <typename T>
  T* Records(box::TableKind kind) {
    return reinterpret_cast<T*>(bytes_.data() + Header().tables[kind].offset);
  }

  Result<BoxReader> Open() const {
    const std::string path = directory_.path() + "/copy.box";
    unlink(path.c_str());
    std::ofstream(path, std::ios::binary) << bytes_;
    EXPECT_EQ(chmod(path.c_str(), 0600), 0);
    return BoxReader::Open(path);
  }

  // A text as long as any, for `kind` as its only record; returns its reference.
  uint32_t LongText() {
    Enlarge(box::kStringTable, 64 << 10);
    box::Header header = Header();
    header.committed.string_bytes = 4096;
    SetHeader(header);
    constexpr uint32_t kReference = 8;
    char* strings = Records<char>(box::kStringTable);
    memset(strings + kReference + sizeof(box::StringHead), 'x', box::kMaxStringBytes);
    const box::StringHead head = {box::kMaxStringBytes,
                                  box::CheckOfString(strings + kReference + sizeof head, box::kMaxStringBytes, kReference)};
    memcpy(strings + kReference, &head, sizeof head);
    return kReference;
  }

  // Nodes 1 to `count`, all of the first frame; `parent_of` is asked by index.
  template <typename ParentOf>
  void FillNodes(uint32_t count, ParentOf parent_of) {
    Enlarge(box::kNodeTable, count);
    box::Header header = Header();
    header.committed.nodes = count;
    SetHeader(header);
    auto* nodes = Records<box::Node>(box::kNodeTable);
    for (uint32_t i = 0; i < count; ++i) {
      nodes[i] = {parent_of(i), 1, 0};
      nodes[i].check = box::CheckOf(nodes[i], i + 1);
    }
  }

  // Copies of the first site, each with a node of its own; returns the number of their session.
  template <typename NodeOf>
  uint64_t FillSites(uint32_t count, NodeOf node_of) {
    box::Site site = Records<box::TwoCopies<box::Site>>(box::kSiteTable)->Current();
    Enlarge(box::kSiteTable, count);
    auto* sites = Records<box::TwoCopies<box::Site>>(box::kSiteTable);
    for (uint32_t i = 0; i < count; ++i) {
      site.node = node_of(i);
      sites[i].Begin() = site;
      sites[i].Commit(box::RecordSeed(box::kSiteTable, i));
    }
    return site.session;
  }

  std::string bytes_;
};

TEST_F(BoxWorkTest, TablesThatOverlapAreRefused) {
  ASSERT_TRUE(Open().ok());
  const box::Header valid = Header();
  for (uint32_t kind = 1; kind < box::kTables; ++kind) {
    box::Header header = valid;
    header.tables[kind].offset = valid.tables[kind - 1].offset + 64;
    if (header.tables[kind].capacity == 1) header.tables[kind].offset += 64;
    SetHeader(header);
    const Result<BoxReader> box = Open();
    ASSERT_FALSE(box.ok()) << kind;
    EXPECT_THAT(box.status().message(), HasSubstr("its tables overlap")) << kind;
  }
}

TEST_F(BoxWorkTest, LongAndBrokenChainsAreFollowedOnce) {
  constexpr uint32_t kNodes = 20'000, kSites = 2000;
  for (const bool cyclic : {false, true}) {
    FillNodes(kNodes, [&](uint32_t i) { return i == 0 && cyclic ? kNodes : i; });
    const uint64_t number = FillSites(kSites, [](uint32_t i) { return kNodes - i; });
    const Result<BoxReader> box = Open();
    ASSERT_TRUE(box.ok()) << box.status().message();
    const Result<BoxSession> session = box->ReadSession(number);
    ASSERT_TRUE(session.ok()) << session.status().message();
    EXPECT_EQ(session->sites.size(), kSites);
    EXPECT_GE(session->skipped_records, kSites) << "each has a stack that nobody knows";
    EXPECT_LE(box->work().records, kNodes + 3 * kSites) << "each node once, and each site's own twice";
    size_t deepest = 0;
    for (const BoxSite& read : session->sites) {
      size_t depth = 0;
      for (uint32_t at = read.stack; at != 0; at = session->stacks[at - 1].parent) ++depth;
      deepest = std::max(deepest, depth);
    }
    EXPECT_EQ(deepest, 0u);
  }
}

TEST_F(BoxWorkTest, ChainsThatAreSharedEndWhereStacksDo) {
  constexpr uint32_t kNodes = 1000;
  FillNodes(kNodes, [](uint32_t i) { return i; });
  const uint64_t number = FillSites(kNodes / 100, [](uint32_t i) { return (i + 1) * 100; });  // each goes on where the one before ended
  const Result<BoxReader> box = Open();
  ASSERT_TRUE(box.ok()) << box.status().message();
  const Result<BoxSession> session = box->ReadSession(number);
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_EQ(session->stacks.size(), 128u) << "as deep as any stack is written";
  EXPECT_NE(session->sites[0].stack, 0u);
  EXPECT_EQ(session->sites[1].stack, 0u);
}

TEST_F(BoxWorkTest, ALargeTableIsNotReadAgainForEverySession) {
  Enlarge(box::kSiteTable, (50u << 20) / sizeof(box::TwoCopies<box::Site>));
  const Result<BoxReader> box = Open();
  ASSERT_TRUE(box.ok()) << box.status().message();
  ASSERT_FALSE(box->Sessions().empty());
  const uint64_t number = box->Sessions().back().number;
  int read = 0;
  Status refused;
  for (int i = 0; i < 32; ++i) {
    const Result<BoxSession> session = box->ReadSession(number);
    if (session.ok()) ++read;
    if (!session.ok() && refused.ok()) refused = session.status();
  }
  EXPECT_GE(read, 1);
  EXPECT_EQ(refused.code(), ErrorCode::kExhausted) << refused.message();
  EXPECT_THAT(refused.message(), HasSubstr("copy.box"));
  EXPECT_EQ(box->WorthIt().code(), ErrorCode::kExhausted);
  EXPECT_LE(read * bytes_.size(), BoxWork::kMostReadBytes + bytes_.size()) << "what would be beyond is not read";
  EXPECT_TRUE(box->Sessions().empty());
}

TEST_F(BoxWorkTest, OneTextForAllFramesIsNotCopiedWithoutEnd) {
  constexpr uint32_t kFrames = 200'000;
  const uint32_t text = LongText();
  Enlarge(box::kFrameTable, kFrames);
  box::Header header = Header();
  header.committed.frames = kFrames;
  header.committed.modules = 1;
  SetHeader(header);
  auto* module = Records<box::Module>(box::kModuleTable);
  *module = {text, 0, 0};
  module->check = box::CheckOf(*module, 1);
  auto* frames = Records<box::Frame>(box::kFrameTable);
  for (uint32_t i = 0; i < kFrames; ++i) {
    frames[i] = {};
    frames[i].language = static_cast<uint32_t>(Language::kNative);
    frames[i].file = 1;
    frames[i].check = box::CheckOf(frames[i], i + 1);
  }
  const Result<BoxReader> box = Open();
  ASSERT_TRUE(box.ok()) << box.status().message();
  BoxReader::FrameMark mark;
  EXPECT_TRUE(box->NewNativeFrames(&mark).empty());
  EXPECT_LE(box->work().text_bytes, BoxWork::kMostTextBytes + box::kMaxStringBytes);
  EXPECT_EQ(box->WorthIt().code(), ErrorCode::kExhausted);
}

TEST_F(BoxWorkTest, ASoundBoxIsFarFromItsBounds) {
  BoxReader box = OpenBox();
  for (const BoxReader::SessionKey& key : box.Sessions()) EXPECT_TRUE(box.ReadSession(key.number).ok());
  EXPECT_TRUE(box.WorthIt().ok());
  EXPECT_LT(box.work().read_bytes, BoxWork::kMostReadBytes / 50);
  EXPECT_LT(box.work().records, BoxWork::kMostRecords / 50);
}

}  // namespace
}  // namespace memprof
