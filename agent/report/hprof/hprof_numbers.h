// What has a number in an hprof stream. A stream may hold several dumps: what it has already been
// told of keeps its number and is not told again.
//
// Numbers are small and dense in ranges of their own, so that one of another kind is never taken
// for one of these, and so that they go with those of a heap dump that the VM has written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
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

  // Numbers begin there.
  explicit HprofNumbers(const HprofFirst& first = {}) : first_(first) {}

  // A class that the stream has been told of by somebody else.
  void know_type(const std::string& name, std::uint32_t serial) {
    types_.insert_or_assign(name, serial);
  }
  // Nothing keeps its number, and none is used again.
  void forget() {
    traces_.clear();
    types_.clear();
    frames_.clear();
    texts_.clear();
  }
  // Somebody else uses the numbers below these.
  void go_beyond(const HprofFirst& used) {
    const auto beyond = [](std::uint32_t first, std::uint32_t& next, std::uint32_t to) {
      if (to > first) next = std::max(next, to - first);
    };
    beyond(first_.classes, next_type_, used.classes);
    beyond(first_.traces, next_trace_, used.traces);
    beyond(first_.frames, next_frame_, used.frames);
  }
  // A stack that is told of once anyway.
  std::uint32_t new_trace() { return first_.traces + next_trace_++; }

  template <typename Value>
  struct Number {
    Value value;
    bool fresh;  // the stream has to be told what it means
  };

  // The first itself: the empty stack, of no thread.
  Number<std::uint32_t> trace(std::span<const HprofFrame> stack, std::int64_t thread = 0) {
    std::string key(reinterpret_cast<const char*>(stack.data()), stack.size_bytes());
    if (thread != 0) key += std::to_string(thread);
    if (key.empty()) return number(traces_, key, first_.traces, nullptr);
    return number(traces_, key, first_.traces + next_trace_, &next_trace_);
  }
  Number<std::uint32_t> frame(const HprofFrame& frame) {
    const std::uint64_t key =
        std::uint64_t{frame.method} << 32 | static_cast<std::uint32_t>(frame.line);
    return number(frames_, key, first_.frames + next_frame_, &next_frame_);
  }
  Number<std::uint32_t> type(const std::string& name) {
    return number(types_, name, first_.classes + next_type_, &next_type_);
  }
  Number<std::uint64_t> text(const std::string& text) {
    return number(texts_, text, kTexts + next_text_, &next_text_);
  }
  static std::uint32_t thread(std::int64_t id) { return kThreads + static_cast<std::uint32_t>(id); }

 private:
  template <typename Map, typename Key, typename Value>
  static Number<Value> number(Map& map, const Key& key, Value value, std::uint32_t* next) {
    const auto [at, fresh] = map.emplace(key, value);
    if (fresh && next != nullptr) ++*next;
    return {static_cast<Value>(at->second), fresh};
  }

  const HprofFirst first_;
  std::unordered_map<std::string, std::uint32_t> traces_, types_;
  std::unordered_map<std::uint64_t, std::uint32_t> frames_;
  std::unordered_map<std::string, std::uint64_t> texts_;
  std::uint32_t next_trace_ = 1, next_frame_ = 1, next_type_ = 1, next_text_ = 1;
};

}  // namespace ddm
