// NHGT, sampled native allocations: the only little-endian chunk. NHGE, a DDM extension, switches
// sampling.
//
//   u4 signature 812345dd, u2 version 2, u2 bytes of a pointer (4 or 8)
//   size_t bytes of maps, of records, of one record, total in use, pointers of a backtrace
//   maps: the text of /proc/PID/maps
//   records: each { size_t size, size_t count, pointers; 0 = unused }
//
// All five zero: native allocations are not sampled. Real servers then show the total only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/chunks/fields.h"
#include "wire/chunks/mappings.h"

namespace ddm {

struct NativeHeap {
  static constexpr ChunkType kType = chunk_type("NHGT");
  struct Record {
    std::uint64_t size = 0;                // of each allocation, bytes
    std::uint64_t count = 0;               // allocations of that size and backtrace
    std::vector<std::uint64_t> backtrace;  // innermost first
    friend bool operator==(const Record&, const Record&) = default;
  };
  std::string maps;
  std::uint64_t total_bytes = 0;
  std::uint32_t depth = 0;  // pointers per record; longer backtraces are truncated
  std::vector<Record> records;

  Bytes encode() const;  // with pointers of 8 bytes

  // Also decodes pointers of 4 bytes. Trailing zeros of a backtrace are dropped.
  static std::optional<NativeHeap> decode(ByteSpan data);
  friend bool operator==(const NativeHeap&, const NativeHeap&) = default;
};

// NHGE.   u8 bytes between samples, 0: off; a request without data is a query
struct NativeSamplingRequest {
  static constexpr ChunkType kType = chunk_type("NHGE");
  std::uint64_t interval = 0;

  static constexpr auto kFields = std::tuple(&NativeSamplingRequest::interval);
};

// Its reply.   u8 bytes between samples, 0: off; u4 number of starts, each of which resets the samples;
//              u8 bytes between the samples that can be read, also when off, 0: there are none
struct NativeSamplingState {
  static constexpr ChunkType kType = chunk_type("NHGE");
  std::uint64_t interval = 0;
  std::uint32_t period = 0;
  std::optional<std::uint64_t> readable_interval;  // nullopt: an agent that does not send it

  static constexpr auto kFields =
      std::tuple(&NativeSamplingState::interval, &NativeSamplingState::period,
                 &NativeSamplingState::readable_interval);
};

// Resolves the addresses of backtraces by the reply's maps: "/usr/lib/libz.so.1+0x1f2e" (offset in the
// file, for addr2line; it follows the call), "shop.Cache.fill(Cache.java:88)" for a Java frame,
// "0x7f.." outside of files.
struct NativePlace {
  std::string file;          // "": none
  std::uint64_t offset = 0;  // in the file; without a file, the address
  std::string java;          // of a Java frame; else ""
};

class NativePlaces {
 public:
  explicit NativePlaces(std::string_view maps) : mappings_(parse_mappings(maps)) {}
  std::string of(std::uint64_t address) const;
  NativePlace find(std::uint64_t address) const;

 private:
  std::vector<Mapping> mappings_;
};

}  // namespace ddm
