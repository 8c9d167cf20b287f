// A ring with its names in one file, which is still there when the program is not.
//
// The file is mapped into memory, so the records are in it the moment they are stored, whatever
// ends the process. Every byte of it is allocated before the program gets it: a full disk must not
// become a SIGBUS in somebody else's program. It is locked for as long as this process lives; a
// second VM with the same option (JVMs inherit JAVA_TOOL_OPTIONS) finds the lock and stays away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "allocations/store/alloc_ring.h"
#include "allocations/store/ring_layout.h"
#include "stack/names/name_log.h"

namespace ddm {

struct RingFileRequest {
  std::string path;
  std::int64_t pid = 0;
  std::int64_t now_ms = 0;
  std::uint32_t records = kDefaultRecords;
  std::uint32_t depth = kDefaultDepth;
};

class RingFile {
 public:
  struct Created {
    std::unique_ptr<RingFile> file;
    std::string error;    // why there is none, with the path
    bool in_use = false;  // because a program that lives has one there
    std::string kept_as;  // a killed program's file had the name; it has this one now
  };
  // The directory must be there. What a killed program left at the path is kept as PATH.old.
  static Created create(const RingFileRequest& request);

  ~RingFile();
  RingFile(const RingFile&) = delete;
  RingFile& operator=(const RingFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return header_.file_bytes; }
  std::uint32_t records() const { return header_.records; }
  std::uint32_t depth() const { return header_.depth; }

  // All of these lie in the file, which outlives them.
  std::unique_ptr<AllocRing> ring();
  NameLog names();
  NameLog thread_names();

  void write_facts(const RingFacts& facts);  // one thread at a time

  // The program ends in the usual way: nobody needs the file. What is still stored is harmless.
  void remove();

 private:
  RingFile(std::string path, int fd, std::byte* memory, const RingHeader& header);

  const std::string path_;
  int fd_;  // holds the lock; -1: the file is removed
  std::byte* const memory_;
  const RingHeader header_;
  RingMarks& marks_;
};

}  // namespace ddm
