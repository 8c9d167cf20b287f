// A trace of method calls in the format of Android's tracer, readable by dmtracedump, ddmlib,
// Perfetto and the Firefox profiler. Pure.
//
// Key section, ASCII (other characters of names as \u00f6), lines that end in \n:
//   *version        2: one clock; 3: two
//   name=value      clock is wall or dual; data-file-overflow, elapsed-time-usec, ...; of samples:
//                   sampling-rounds, sampling-interval-usec; where it is not 0: lost-events
//   *threads        number TAB name
//   *methods        0xID TAB class TAB method TAB signature TAB file TAB line; IDs are multiples of 4
//   *end
// Data, little-endian:
//   u4 "SLOW", u2 version, u2 32 (offset of the records), u8 begin in us, version 3: u2 14 (bytes
//   of a record); zeros up to 32
//   a record: u2 thread, u4 method | action, version 3: u4 us of CPU since the thread's first
//   record, u4 us since the begin
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

struct TraceMethod {
  std::string class_name;  // "shop.Cart"
  std::string method;
  std::string signature;
  std::string file;  // "" = unknown
  std::int32_t line = -1;
};

struct TraceEvent {
  enum Action : std::uint8_t { kEnter = 0, kReturn = 1, kThrow = 2 };
  std::uint64_t wall_micros = 0;  // since the begin
  std::uint64_t cpu_micros = 0;   // of the thread, relative to any point
  std::uint32_t method = 0;       // key of MethodTrace::methods
  std::uint16_t thread = 0;       // 1..32767; Java's id where that fits
  Action action = kEnter;
};

struct MethodTrace {
  bool dual = false;  // with CPU times
  std::int64_t pid = 0;
  std::uint64_t begin_micros = 0;  // since the epoch
  std::uint64_t elapsed_micros = 0;
  bool overflow = false;              // events were dropped
  std::uint64_t lost = 0;             // how many, as far as known
  std::uint64_t rounds = 0;           // how often stacks were sampled
  std::uint64_t interval_micros = 0;  // between rounds, as requested; 0: calls were traced
  std::map<std::uint16_t, std::string> threads;
  std::map<std::uint32_t, TraceMethod> methods;
  std::vector<TraceEvent> events;  // in the order of time
};

// Encodes the records of a trace one by one, so that a large one is never in memory as a whole.
class TraceRecords {
 public:
  explicit TraceRecords(bool dual) : dual_(dual) {}

  // The record's bytes, valid until the next call. Of an event later than 71 minutes after the
  // begin: none, as it cannot be encoded and counts as an overflow.
  std::span<const std::uint8_t> encode(const TraceEvent& event);

  std::uint64_t calls() const { return calls_; }
  std::uint64_t lost() const { return lost_; }

 private:
  const bool dual_;
  std::uint64_t calls_ = 0;
  std::uint64_t lost_ = 0;
  std::map<std::uint16_t, std::uint64_t> first_cpu_;  // by thread
  std::array<std::uint8_t, 14> record_{};
};

// Everything before the first record. The events of `trace` are not looked at.
std::string trace_head(const MethodTrace& trace, const TraceRecords& records);

// The whole file at once.
std::string method_trace_file(const MethodTrace& trace);

// Reads versions 2 and 3. The bytes are untrusted. "" or the error. Methods keep the numbers of the
// file.
std::string read_method_trace(std::string_view bytes, MethodTrace& trace);

}  // namespace ddm
