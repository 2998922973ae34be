#include "blackbox/box_reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <random>

#include "blackbox/layout.h"
#include "core/blackbox/forged_box.h"
#include "core/blackbox/valid_box.h"
#include "core/sites/recorder_fixture.h"

namespace memprof {
namespace {

class BoxReaderTest : public RecorderTest {
 protected:
  std::string ValidBox() {
    Start(kInterval, 1u << 20);
    return RecordValidBox(*recorder_);
  }

  std::string Write(const std::string& bytes, const std::string& name = "copy.box", mode_t mode = 0600) {
    std::string path = directory_.path() + "/" + name;
    unlink(path.c_str());
    int fd = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    EXPECT_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    EXPECT_EQ(fchmod(fd, mode), 0);
    close(fd);
    return path;
  }

  static std::string Refusal(const std::string& path) {
    Result<BoxReader> reader = BoxReader::Open(path);
    return reader.ok() ? "opened" : reader.status().message();
  }

  // Everything a reader can do with a box, whatever is in it; of the sessions all, or one in four. Returns records skipped; -1
  // when the box was refused.
  static int64_t ReadAll(const std::string& path, int one_of_four = -1) {
    Result<BoxReader> reader = BoxReader::Open(path);
    if (!reader.ok()) {
      EXPECT_STRNE(reader.status().message(), "");
      return -1;
    }
    int64_t skipped = 0;
    for (const BoxReader::SessionKey& key : reader->Sessions()) {
      if (one_of_four >= 0 && key.number % 4 != static_cast<uint64_t>(one_of_four)) continue;
      Result<BoxSession> session = reader->ReadSession(key.number);
      if (!session.ok()) continue;
      skipped += session->skipped_records;
      // All references hold.
      for (const BoxSite& site : session->sites) {
        EXPECT_LE(site.stack, session->stacks.size());
      }
      for (size_t i = 0; i < session->stacks.size(); ++i) {
        EXPECT_LE(session->stacks[i].parent, i) << "parents come first";
        EXPECT_LT(session->stacks[i].frame, session->frames.size());
      }
      for (const BoxFrame& frame : session->frames) EXPECT_LE(frame.function.size(), 3u * box::kMaxStringBytes);
    }
    BoxReader::FrameMark mark;
    for (const BoxFrame& frame : reader->NewNativeFrames(&mark)) EXPECT_LE(frame.module.size(), 3u * box::kMaxStringBytes);
    if (const Result<RssRows> rows = reader->ReadRssRows(); rows.ok()) {
      EXPECT_LE(rows->rows.size(), box::kRssRowsPerMoment);
    }
    (void)reader->OwnerAlive();
    return skipped;
  }

  static box::Header HeaderOf(const std::string& bytes) {
    box::Header header;
    memcpy(&header, bytes.data(), sizeof header);
    return header;
  }
  static void SetHeader(std::string& bytes, box::Header header) {
    header.checksum = box::HeaderChecksum(header);
    memcpy(bytes.data(), &header, sizeof header);
  }
};

TEST_F(BoxReaderTest, IdentifiesItsOwner) {
  Start();
  BoxReader reader = OpenBox();
  const BoxIdentity& identity = reader.identity();
  EXPECT_EQ(identity.application_id, "application_1700000000000_0042");
  EXPECT_EQ(identity.executor_id, "7");
  EXPECT_EQ(identity.python_version, "3.11.7");
  EXPECT_EQ(identity.pid, getpid());
  EXPECT_FALSE(identity.started_by_task);
  EXPECT_EQ(identity.interval_bytes, kInterval);
  std::ifstream boot_id("/proc/sys/kernel/random/boot_id");
  std::string expected_boot_id;
  boot_id >> expected_boot_id;
  EXPECT_EQ(identity.boot_id, expected_boot_id);
  // Field 22, behind a name in parentheses.
  std::ifstream stat("/proc/self/stat");
  std::string text(std::istreambuf_iterator<char>(stat), {});
  text = text.substr(text.rfind(')') + 2);
  for (int field = 3; field < 22; ++field) text = text.substr(text.find(' ') + 1);
  EXPECT_EQ(identity.process_start_ticks, std::stoull(text));
  EXPECT_TRUE(reader.OwnerAlive());
}

TEST_F(BoxReaderTest, FindsTheBoxesOfAnApplication) {
  Start();
  Write("", "memprof+other+7+x+1+1+00.box");
  Write("", "notes.txt");
  std::vector<std::string> boxes = ListBoxes(directory_.path(), "application_1700000000000_0042");
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_EQ(boxes[0], recorder_->box_path());
  EXPECT_TRUE(ListBoxes("/nonexistent", "app").empty());
}

TEST_F(BoxReaderTest, TellsNativeFramesOnceAndAnewWhenTheTablesBeginAnew) {
  Start(kInterval, 1u << 20);
  recorder_->OpenSession(Task(1));
  Line("python", 1);
  recorder_->InternNativeFrame(recorder_->InternModule(Ref("/opt/liba.so"), Ref("00ff")), 0x41);
  BoxReader reader = OpenBox();
  BoxReader::FrameMark mark;
  std::vector<BoxFrame> frames = reader.NewNativeFrames(&mark);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].module, "/opt/liba.so");
  EXPECT_EQ(frames[0].build_id, "00ff");
  EXPECT_EQ(frames[0].offset, 0x41u);
  EXPECT_TRUE(reader.NewNativeFrames(&mark).empty());
  recorder_->InternNativeFrame(recorder_->InternModule(Ref("/opt/libb.so"), Ref("00ee")), 0x42);
  frames = reader.NewNativeFrames(&mark);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].module, "/opt/libb.so");

  for (uint32_t line = 2; Line("filler", line) != kNoFrame; ++line) ASSERT_LT(line, 100'000u);
  recorder_->CloseSession();
  for (const BoxReader::SessionKey& key : reader.Sessions()) {
    if (key.closed) {
      ASSERT_TRUE(reader.Acknowledge(key.number).ok());
    }
  }
  recorder_->OpenSession(Task(2));
  EXPECT_TRUE(reader.NewNativeFrames(&mark).empty());
  recorder_->InternNativeFrame(recorder_->InternModule(Ref("/opt/liba.so"), Ref("00ff")), 0x41);
  EXPECT_EQ(reader.NewNativeFrames(&mark).size(), 1u);
}

TEST_F(BoxReaderTest, AcknowledgedSessionsAreReusedAndOthersAreNot) {
  Start();
  for (int64_t task = 1; task <= 3; ++task) {
    recorder_->OpenSession(Task(task));
    Allocate(kSomewhere + static_cast<uintptr_t>(task) * 0x100000, 300'007, {Line("udf", 1)});
  }
  BoxReader reader = OpenBox();
  ASSERT_EQ(reader.Sessions().size(), 4u);
  EXPECT_EQ(reader.Acknowledge(4).code(), ErrorCode::kNotFound) << "still open";
  EXPECT_EQ(reader.Acknowledge(99).code(), ErrorCode::kNotFound);
  EXPECT_EQ(reader.Acknowledge(0).code(), ErrorCode::kNotFound);
  ASSERT_TRUE(reader.Acknowledge(2).ok());
  EXPECT_TRUE(reader.ReadSession(2).ok()) << "acknowledged, not recycled yet";
  recorder_->OpenSession(Task(4));
  EXPECT_EQ(reader.ReadSession(2).status().code(), ErrorCode::kNotFound);
  Result<BoxSession> second = reader.ReadSession(3);
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(second->checksum_ok);
  EXPECT_EQ(second->task_attempt_id, 2);
}

TEST_F(BoxReaderTest, TheRingDropsTheOldestAndCountsIt) {
  Start();
  constexpr int64_t kTasks = 40;
  for (int64_t task = 1; task <= kTasks; ++task) {
    recorder_->OpenSession(Task(task));
    Allocate(kSomewhere + static_cast<uintptr_t>(task) * 0x100000, 300'007, {Line("udf", 1)});
  }
  recorder_->CloseSession();
  const uint64_t waiting = box::kSessions - 1;
  EXPECT_EQ(recorder_->counters().dropped_sessions, kTasks - waiting);
  BoxReader reader = OpenBox();
  std::vector<BoxReader::SessionKey> sessions = reader.Sessions();
  ASSERT_EQ(sessions.size(), waiting + 1);
  for (uint64_t i = 0; i < waiting; ++i) {
    EXPECT_EQ(sessions[i + 1].task_attempt_id, static_cast<int64_t>(kTasks - waiting + i + 1));
    Result<BoxSession> session = reader.ReadSession(sessions[i + 1].number);
    ASSERT_TRUE(session.ok());
    EXPECT_TRUE(session->checksum_ok);
    EXPECT_EQ(session->allocated_bytes, 300'007u);
  }
  // An acknowledged one makes room, and nothing is dropped.
  ASSERT_TRUE(reader.Acknowledge(sessions[5].number).ok());
  recorder_->OpenSession(Task(kTasks + 1));
  EXPECT_EQ(recorder_->counters().dropped_sessions, kTasks - waiting);
}

TEST_F(BoxReaderTest, AcknowledgedSessionsGiveTheirSitesBack) {
  Start(kInterval, 1u << 20);
  BoxReader reader = OpenBox();
  for (int64_t task = 1; task <= 30; ++task) {
    recorder_->OpenSession(Task(task));
    for (uint32_t line = 1; line <= 200; ++line) {
      Allocate(kSomewhere + line * 0x100000, 300'007, {Line("udf", line)});
      recorder_->Freeing(kSomewhere + line * 0x100000);
    }
    recorder_->CloseSession();
    BoxSession session = ReadTask(task);
    EXPECT_EQ(session.sites.size(), 200u) << task;
    ASSERT_TRUE(reader.Acknowledge(session.number).ok());
  }
  EXPECT_EQ(recorder_->counters().evicted_sites, 0u);
  EXPECT_EQ(recorder_->counters().dropped_sessions, 0u);
}

// ---- hostile boxes

TEST_F(BoxReaderTest, RefusesWhatIsNoBox) {
  const std::string valid = ValidBox();
  EXPECT_EQ(ReadAll(Write(valid)), 0);
  const std::string path = directory_.path() + "/copy.box";
  EXPECT_EQ(BoxReader::Open(directory_.path() + "/missing").status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(Refusal(Write(valid, "copy.box", 0644)), "black box " + path + " has mode 644 instead of 600");
  EXPECT_EQ(Refusal(Write(valid, "copy.box", 04600)), "black box " + path + " has mode 4600 instead of 600");
  EXPECT_EQ(Refusal(Write("")), "black box " + path + " is not written yet");
  EXPECT_EQ(Refusal(Write(valid.substr(0, 4000))), path + " is no black box: 4000 bytes");
  EXPECT_EQ(Refusal(Write(std::string(8192, '\0'))), "black box " + path + " is not written yet: no magic");
  EXPECT_EQ(Refusal(Write(valid.substr(0, valid.size() - 1))), "black box " + path + " is shorter than its header says");

  std::string link = directory_.path() + "/link.box";
  ASSERT_EQ(symlink(recorder_->box_path(), link.c_str()), 0);
  EXPECT_EQ(Refusal(link), "cannot open black box " + link + ": Too many levels of symbolic links");
  std::string pipe = directory_.path() + "/pipe.box";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Refusal(pipe), pipe + " is no black box: not a regular file");
  EXPECT_NE(Refusal(directory_.path()), "opened");

  if (geteuid() == 0) {
    Write(valid);
    ASSERT_EQ(chown(path.c_str(), 4711, 4711), 0);
    EXPECT_EQ(Refusal(path), "black box " + path + " belongs to uid 4711, not to us");
  }
}

TEST_F(BoxReaderTest, RefusesAForeignVersionAndAnImpossibleHeader) {
  const std::string valid = ValidBox();
  const std::string path = directory_.path() + "/copy.box";
  auto with = [&](const std::function<void(box::Header&)>& change) {
    std::string bytes = valid;
    box::Header header = HeaderOf(bytes);
    change(header);
    SetHeader(bytes, header);
    return Refusal(Write(bytes));
  };
  EXPECT_EQ(with([](box::Header&) {}), "opened");
  EXPECT_EQ(with([](box::Header& header) { header.version = 3; }), "black box " + path + " has version 3; this is version 8");
  for (uint32_t kind = 0; kind < box::kTables; ++kind) {
    const std::string misfit = "black box " + path + ": table " + std::to_string(kind) + " does not fit into the file";
    EXPECT_EQ(with([&](box::Header& header) { header.tables[kind].capacity = 0xffffffff; }), misfit);
    EXPECT_EQ(with([&](box::Header& header) { header.tables[kind].record_bytes += 8; }), misfit);
    EXPECT_EQ(with([&](box::Header& header) { header.tables[kind].offset = ~uint64_t{0}; }), misfit);
    EXPECT_EQ(with([&](box::Header& header) { header.tables[kind].offset = 0; }), misfit);
  }
  EXPECT_EQ(with([](box::Header& header) { header.tables[box::kSessionTable].capacity = 1; }),
            "black box " + path + ": its tables of fixed size have another");
  EXPECT_EQ(with([](box::Header& header) { header.file_bytes = uint64_t{1} << 60; }),
            "black box " + path + " is shorter than its header says");
  EXPECT_EQ(with([](box::Header& header) { strcpy(header.identity.executor_id, "1\033[2J"); }),
            "the header of black box " + path + " holds control characters");
  EXPECT_EQ(with([](box::Header& header) { memset(&header.identity.boot_id, 'x', sizeof header.identity.boot_id); }), "opened");
  for (size_t byte = 0; byte < offsetof(box::Header, committed); ++byte) {
    if (byte >= offsetof(box::Header, tables) + sizeof(box::Header::tables)) break;
    std::string bytes = valid;
    bytes[byte] ^= 0x10;
    EXPECT_NE(Refusal(Write(bytes)), "opened") << "byte " << byte;
  }
}

TEST_F(BoxReaderTest, HugeCountsReadNothingBeyondTheTables) {
  std::string bytes = ValidBox();
  box::Header header = HeaderOf(bytes);
  header.committed.nodes = header.committed.frames = header.committed.modules = header.committed.string_bytes = 0xffffffff;
  SetHeader(bytes, header);
  EXPECT_EQ(ReadAll(Write(bytes)), 0);
  header.committed.nodes = header.committed.frames = header.committed.modules = header.committed.string_bytes = 0;
  SetHeader(bytes, header);
  EXPECT_GT(ReadAll(Write(bytes)), 0) << "stacks that are not there are counted";
}

TEST_F(BoxReaderTest, ATrieThatLoopsOrNeverEndsIsCut) {
  std::string bytes = ValidBox();
  const box::Header header = HeaderOf(bytes);
  auto* nodes = reinterpret_cast<box::Node*>(bytes.data() + header.tables[box::kNodeTable].offset);
  for (uint32_t i = 0; i < header.committed.nodes; ++i) {
    nodes[i].parent = i + 1;  // its own parent, well checksummed
    nodes[i].check = box::CheckOf(nodes[i], i + 1);
  }
  EXPECT_GT(ReadAll(Write(bytes)), 0);
  box::Header longer = header;
  longer.committed.nodes = header.tables[box::kNodeTable].capacity;
  for (uint32_t i = 0; i < longer.committed.nodes; ++i) {
    nodes[i] = {i, 1, 0};
    nodes[i].check = box::CheckOf(nodes[i], i + 1);
  }
  auto* sites = reinterpret_cast<box::TwoCopies<box::Site>*>(bytes.data() + header.tables[box::kSiteTable].offset);
  sites[0].Begin().node = longer.committed.nodes;
  sites[0].Commit(box::RecordSeed(box::kSiteTable, 0));
  SetHeader(bytes, longer);
  EXPECT_GT(ReadAll(Write(bytes)), 0);
}

TEST_F(BoxReaderTest, ASiteThatNoProcessCanHaveMadeIsLeftOutAlone) {
  std::string bytes = ValidBox();
  const box::Header header = HeaderOf(bytes);
  auto* sites = reinterpret_cast<box::TwoCopies<box::Site>*>(bytes.data() + header.tables[box::kSiteTable].offset);
  sites[0].Begin().allocated_bytes = uint64_t{1} << 57;
  sites[1].Begin().variance = -1;
  sites[2].Begin().variance = std::numeric_limits<double>::quiet_NaN();
  for (uint32_t i : {0u, 1u, 2u}) sites[i].Commit(box::RecordSeed(box::kSiteTable, i));
  Result<BoxReader> whole = BoxReader::Open(Write(ValidBox(), "whole.box")), changed = BoxReader::Open(Write(bytes));
  ASSERT_TRUE(whole.ok() && changed.ok());
  const auto read = [](BoxReader& reader) {
    std::pair<size_t, uint64_t> sum;
    for (const BoxReader::SessionKey& key : reader.Sessions()) {
      const BoxSession session = *reader.ReadSession(key.number);
      sum.first += session.sites.size();
      sum.second += session.skipped_records;
    }
    return sum;
  };
  EXPECT_EQ(read(*whole).first - read(*changed).first, 3u);
  EXPECT_EQ(read(*changed).second, 3u);
}

TEST_F(BoxReaderTest, AFileCutShortWhileItIsReadIsAnError) {
  const std::string path = Write(ValidBox());
  Result<BoxReader> reader = BoxReader::Open(path);
  ASSERT_TRUE(reader.ok());
  ASSERT_EQ(truncate(path.c_str(), 8192), 0);
  EXPECT_TRUE(reader->Sessions().empty());
  Result<BoxSession> session = reader->ReadSession(2);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().code(), ErrorCode::kIo);
  EXPECT_FALSE(reader->Acknowledge(2).ok());
}

// One damaged region after the other: the last good copy is read, or the record is counted as skipped; the rest of the
// session stands.
TEST_F(BoxReaderTest, EveryDamagedRegionFallsBackOrIsCounted) {
  const std::string valid = ValidBox();
  const box::Header header = HeaderOf(valid);
  auto read = [&](const std::string& bytes) {
    Result<BoxReader> reader = BoxReader::Open(Write(bytes));
    EXPECT_TRUE(reader.ok());
    Result<BoxSession> session = reader->ReadSession(2);
    return session.ok() ? *session : BoxSession();
  };
  const BoxSession whole = read(valid);
  ASSERT_EQ(whole.sites.size(), 20u);
  ASSERT_TRUE(whole.checksum_ok);

  auto at = [&](box::TableKind kind, uint64_t index) { return header.tables[kind].offset + index * header.tables[kind].record_bytes; };
  constexpr size_t kSiteCopy = sizeof(box::TwoCopies<box::Site>::Copy);
  for (size_t byte = 0; byte < 2 * kSiteCopy; byte += 3) {
    for (bool both : {false, true}) {
      std::string bytes = valid;
      bytes[at(box::kSiteTable, 0) + byte] ^= 0x41;
      if (both) bytes[at(box::kSiteTable, 0) + (byte + kSiteCopy) % (2 * kSiteCopy)] ^= 0x41;
      BoxSession session = read(bytes);
      EXPECT_EQ(session.skipped_records, both ? 1u : 0u) << byte;
      EXPECT_EQ(session.sites.size(), both ? 19u : 20u) << byte;
      if (both) {
        EXPECT_FALSE(session.checksum_ok) << "a site is missing from the seal";
      }
    }
  }
  // The newest copy of a session's slot: its last good state is read, from before it was closed.
  const uint32_t slot = 1;
  const auto* record = reinterpret_cast<const box::TwoCopies<box::Session>*>(valid.data() + at(box::kSessionTable, slot));
  std::string bytes = valid;
  uint64_t newest = record->copies[1].sequence > record->copies[0].sequence ? 1 : 0;
  bytes[at(box::kSessionTable, slot) + newest * sizeof(record->copies[0]) + 50] ^= 1;
  BoxSession session = read(bytes);
  EXPECT_FALSE(session.closed);
  EXPECT_EQ(session.allocated_bytes, whole.allocated_bytes);
  bytes[at(box::kSessionTable, slot) + (1 - newest) * sizeof(record->copies[0]) + 50] ^= 1;
  EXPECT_EQ(read(bytes).number, 0u) << "no copy, no session";

  // Names: the site stays, its frame is unknown or its text empty, and it is counted.
  for (box::TableKind kind :
       {box::kNodeTable, box::kFrameTable, box::kModuleTable, box::kStringTable, box::kUdfTable, box::kCounterTable}) {
    uint64_t index = kind == box::kStringTable    ? 8 + 8 + 1
                     : kind == box::kUdfTable     ? slot * box::kUdfsPerSession
                     : kind == box::kCounterTable ? slot * box::kCountersPerSession
                                                  : 0;
    bytes = valid;
    bytes[at(kind, index)] ^= 0x04;
    if (kind == box::kCounterTable) bytes[at(kind, index) + sizeof(box::TwoCopies<box::Counter>::Copy)] ^= 0x04;
    session = read(bytes);
    EXPECT_GT(session.skipped_records, 0u) << "table " << kind;
    EXPECT_EQ(session.sites.size(), 20u) << "table " << kind;
    EXPECT_EQ(session.allocated_bytes, whole.allocated_bytes);
  }
}

// Fixed seed: what fails, fails again. The mutated bytes lie where there is something to mutate; every second box is made
// believable, so that what is wrong in it is not caught by a checksum.
TEST_F(BoxReaderTest, TwentyThousandMutationsAreSurvived) {
  const std::string valid = ValidBox();
  const box::Header header = HeaderOf(valid);
  std::vector<std::pair<uint64_t, uint64_t>> regions = {{0, sizeof header}};
  auto used = [&](box::TableKind kind, uint64_t records) {
    regions.push_back({header.tables[kind].offset, records * header.tables[kind].record_bytes});
  };
  used(box::kSessionTable, 4);
  used(box::kUdfTable, 24);
  used(box::kCounterTable, 48);
  used(box::kSiteTable, 64);
  used(box::kNodeTable, header.committed.nodes);
  used(box::kFrameTable, header.committed.frames);
  used(box::kModuleTable, header.committed.modules);
  used(box::kStringTable, header.committed.string_bytes);

  const std::string path = Write(valid);
  int fd = open(path.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  std::mt19937_64 random(20'260'101);
  int refused = 0, skipped = 0, believed = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string mutated = valid;
    for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
      const auto& [begin, size] = regions[random() % regions.size()];
      const uint64_t where = begin + random() % size;
      const uint64_t length = std::min<uint64_t>(1 + random() % 9, valid.size() - where);
      for (uint64_t k = 0; k < length; ++k) mutated[where + k] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    if (i % 2 == 0) box::Forge(mutated);
    ASSERT_EQ(pwrite(fd, mutated.data(), mutated.size(), 0), static_cast<ssize_t>(mutated.size()));
    int64_t found = ReadAll(path, i / 2 % 4);
    refused += found < 0;
    skipped += found > 0;
    believed += found == 0;
  }
  close(fd);
  EXPECT_GT(refused, 1000);
  EXPECT_GT(skipped, 1000);
  EXPECT_GT(believed, 1000);
}

TEST_F(BoxReaderTest, TextThatIsNotUtf8IsMadeSo) {
  Start();
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 300'007, {Line("good \xe2\x82\xac bad \xff\xc0\xaf\xed\xa0\x80 cut \xe2\x82", 1)});
  BoxSession session = ReadTask(1);
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(InnermostFunction(session, session.sites.at(0)),
            "good \xe2\x82\xac bad " + bad + bad + bad + bad + bad + bad + " cut " + bad + bad);
}

}  // namespace
}  // namespace memprof
