// A ring with its names in a file that survives the program.
//
// The file is mapped, so a record is in the file as soon as it is stored, however the process ends.
// All blocks are allocated in advance: a full disk must not cause a SIGBUS in the program. The file
// is locked for the life of the process; a second VM with the same option (JVMs inherit
// JAVA_TOOL_OPTIONS) finds the lock and does not use the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "allocations/store/alloc_ring.h"
#include "allocations/store/ring_layout.h"
#include "allocations/store/sites.h"
#include "stack/names/name_log.h"

namespace ddm {

struct RingFileRequest {
  std::string path;
  std::int64_t pid = 0;
  std::int64_t now_ms = 0;
  std::uint32_t records = kDefaultRecords;
  std::uint32_t depth = kDefaultDepth;
  std::uint32_t stacks = 0;  // room for the stacks of a Sites::create() of as many
  bool sites = true;         // and for its sites
};

class RingFile {
 public:
  struct Created {
    std::unique_ptr<RingFile> file;
    std::string error;    // why there is no file, with the path
    bool in_use = false;  // a running program uses the file
    std::string kept_as;  // the new name of a killed program's file
  };
  // The directory must exist. A killed program's file at the path is kept as PATH.old; what a
  // program that was killed while it made its file has left is removed.
  static Created create(const RingFileRequest& request);

  ~RingFile();
  RingFile(const RingFile&) = delete;
  RingFile& operator=(const RingFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return header_.file_bytes; }

  // All of these are in the file, which must outlive them.
  std::unique_ptr<AllocRing> ring();
  NameLog names() { return log_at(header_.names_at, header_.names_half_bytes); }
  NameLog thread_names() { return log_at(header_.threads_at, header_.threads_half_bytes); }

  // Copies sites and their stacks into the file from now on, instead of those before; null: none.
  // False: null, or there may be more nodes than the file has room for.
  bool copy(std::shared_ptr<Sites> sites);

  void write_facts(const RingFacts& facts);  // one thread at a time

  // Removes the file at a normal exit. Concurrent stores are harmless.
  void remove();

 private:
  RingFile(std::string path, int fd, std::byte* memory, const RingHeader& header);
  NameLog log_at(std::uint64_t offset, std::uint64_t half_bytes);

  const std::string path_;
  int fd_;  // holds the lock; -1: the file was removed
  std::byte* const memory_;
  const RingHeader header_;
  RingMarks& marks_;
  std::shared_ptr<Sites> copied_;
};

}  // namespace ddm
