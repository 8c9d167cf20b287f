// Assigns the numbers of an hprof stream. A stream may contain several dumps: what has been written
// keeps its number and is not written again.
//
// Each kind has a dense range of its own, so numbers of different kinds never collide, neither with
// each other nor with those of a heap dump written by the VM.
//
// With HprofView::bcis, frames have their bytecode index, for which the format has no field, in the
// lowest bits of their numbers. Readers take the number of a frame as it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "report/hprof/hprof_sites.h"

namespace ddm {

struct HprofFirst {
  std::uint32_t classes = 100000, threads = 200000, traces = 300000, frames = 0x100000;
};

class HprofNumbers {
 public:
  static constexpr std::uint32_t kThreads = HprofFirst().threads, kTraces = HprofFirst().traces;
  static constexpr std::uint64_t kTexts = std::uint64_t{1} << 62;

  // `first`: where each range begins.
  explicit HprofNumbers(const HprofFirst& first = {}) : first_(first) {}

  // A class that was written to the stream by other code.
  void add_foreign_type(const std::string& name, std::uint32_t serial) {
    types_.insert_or_assign(name, serial);
  }
  // Drops all assignments; their numbers are not reused.
  void forget() {
    traces_.clear();
    types_.clear();
    frames_.clear();
    texts_.clear();
  }
  // Numbers below these are used by other code.
  void skip_to(const HprofFirst& used) {
    const auto beyond = [](std::uint32_t first, std::uint32_t& next, std::uint32_t to) {
      if (to > first) next = std::max(next, to - first);
    };
    beyond(first_.classes, next_type_, used.classes);
    beyond(first_.traces, next_trace_, used.traces);
    beyond(first_.frames, next_frame_, used.frames);
  }
  // For a stack that occurs only once.
  std::uint32_t new_trace() { return first_.traces + next_trace_++; }

  template <typename Value>
  struct Number {
    Value value;
    bool fresh;  // not written to the stream yet
  };

  // The first number itself is the empty stack, of no thread.
  Number<std::uint32_t> trace(std::span<const HprofFrame> stack, std::int64_t thread = 0) {
    std::string key(reinterpret_cast<const char*>(stack.data()), stack.size_bytes());
    if (thread != 0) key += std::to_string(thread);
    if (key.empty()) return number(traces_, key, first_.traces, nullptr);
    return number(traces_, key, first_.traces + next_trace_, &next_trace_);
  }
  Number<std::uint64_t> frame(const HprofFrame& frame) {
    std::uint64_t key = std::uint64_t{frame.method} << 32, next = first_.frames + next_frame_;
    if (frame.bci < 0) {
      key |= static_cast<std::uint32_t>(frame.line);
    } else {
      const auto bci = static_cast<std::uint16_t>(frame.bci);  // methods have less than 64 KiB
      key |= kBciKey | bci;
      next = kWithBci | next << 16 | bci;
    }
    return number(frames_, key, next, &next_frame_);
  }
  // kNativeFrameBci: the number has none.
  static std::int32_t bci_of(std::uint64_t frame) {
    return frame >> 48 == kWithBci >> 48 ? static_cast<std::uint16_t>(frame) : kNativeFrameBci;
  }
  Number<std::uint32_t> type(const std::string& name) {
    return number(types_, name, first_.classes + next_type_, &next_type_);
  }
  Number<std::uint64_t> text(const std::string& text) {
    return number(texts_, text, kTexts + next_text_, &next_text_);
  }
  static std::uint32_t thread(std::int64_t id) { return kThreads + static_cast<std::uint32_t>(id); }

 private:
  static constexpr std::uint64_t kWithBci = std::uint64_t{1} << 48;
  static constexpr std::uint64_t kBciKey = 0x8000'0000;  // apart from lines, also negative ones

  template <typename Map, typename Key, typename Value>
  static Number<Value> number(Map& map, const Key& key, Value value, std::uint32_t* next) {
    const auto [at, fresh] = map.emplace(key, value);
    if (fresh && next != nullptr) ++*next;
    return {static_cast<Value>(at->second), fresh};
  }

  const HprofFirst first_;
  std::unordered_map<std::string, std::uint32_t> traces_, types_;
  std::unordered_map<std::uint64_t, std::uint64_t> frames_;
  std::unordered_map<std::string, std::uint64_t> texts_;
  std::uint32_t next_trace_ = 1, next_frame_ = 1, next_type_ = 1, next_text_ = 1;
};

}  // namespace ddm
