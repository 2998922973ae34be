// Makes a box that no reader gets to the end of: six of its sessions are more work than a box is worth (blackbox/box_work.h).
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "blackbox/box_work.h"
#include "blackbox/layout.h"

namespace memprof {

// Gives it a large table of sites, at the file's end. Its owner must not write to it any more.
inline constexpr int kSessionsTooMany = 6;
inline void MakeMuchWork(const std::string& path) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  box::Header header;
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  constexpr uint64_t kSitesBytes = uint64_t{56} << 20;
  static_assert(kSessionsTooMany * kSitesBytes > BoxWork::kMostReadBytes);
  const uint64_t end = (header.file_bytes + 63) / 64 * 64;
  box::Table& sites = header.tables[box::kSiteTable];
  sites.offset = end;
  sites.capacity = static_cast<uint32_t>(kSitesBytes / sites.record_bytes);
  header.file_bytes = end + kSitesBytes;
  header.checksum = box::HeaderChecksum(header);
  file.seekp(0);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.close();
  std::filesystem::resize_file(path, header.file_bytes);
}

}  // namespace memprof
