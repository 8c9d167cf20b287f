// What tests of ring files share: a directory for one, and a file made one of an earlier version.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "allocations/store/ring_layout.h"

namespace ddm {

// On tmpfs.
class RingDirectory {
 public:
  RingDirectory() {
    char name[] = "/dev/shm/ddm-ring-test-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~RingDirectory() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  std::string path_;
};

// Makes the file one of an earlier version, which has no sites, and as version 1 no stacks.
inline void make_ring_of_version(const std::string& path, std::uint32_t version) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  RingHeader header;
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  header.version = version;
  header.sites = header.books = 0;
  if (version == 1) header.nodes_at = header.frames_at = 0;
  header.checksum = ring_checksum(header);
  file.seekp(0).write(reinterpret_cast<const char*>(&header), sizeof header);
}

}  // namespace ddm
