// Commands from the peer of net=: u1 tag, u4 serial, u4 length, body.
//
// The length field does not control memory: only the first bytes of a body are kept, more than any
// known command has, and the rest is skipped as it arrives.
#pragma once

#include <cstdint>
#include <optional>

#include "wire/chunks/bytes.h"

namespace ddm {

enum class HprofTag : std::uint8_t {
  kGc = 1,
  kDumpHeap = 2,
  kAllocSites = 3,  // u2 flags, u4 cutoff (float)
  kHeapSummary = 4,
  kExit = 5,
  kDumpTraces = 6,
  kCpuSamples = 7,  // u2 unused, u4 cutoff
  kControl = 8,     // u2 HprofControl, then its arguments
};

enum class HprofControl : std::uint16_t {
  kAllocTracesOn = 1,
  kAllocTracesOff = 2,
  kCpuSamplingOn = 3,  // a thread's id, 0 = all
  kCpuSamplingOff = 4,
  kClearCpuSamples = 5,
  kClearAllocSites = 6,
  kSetDepth = 7,  // u2
};

struct HprofCommand {
  std::uint8_t tag = 0;
  std::uint32_t serial = 0;
  std::uint32_t length = 0;
  Bytes body;  // its first bytes

  bool known() const { return tag >= 1 && tag <= 8; }
  HprofTag known_tag() const { return static_cast<HprofTag>(tag); }
};

class HprofCommandReader {
 public:
  // Consumes the data up to the end of the next command, and returns that, or consumes all of it.
  std::optional<HprofCommand> read(ByteSpan& data);

 private:
  static constexpr std::size_t kHeaderBytes = 9, kKeptBytes = 16;

  Bytes header_;
  HprofCommand command_;
  std::uint64_t remaining_ = 0;  // remaining bytes of the body
};

}  // namespace ddm
