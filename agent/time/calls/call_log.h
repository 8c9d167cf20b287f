// Every entry and exit of traced methods, with its time, until the memory for them is full. Each
// thread of the system writes to chunks of its own; what it has written may be read at any time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "time/calls/method_numbers.h"
#include "time/calls/tick_clock.h"

namespace ddm {

enum class CallAction : std::uint8_t { kEnter = 0, kReturn = 1, kThrow = 2 };

struct CallEvent {
  Ticks at = 0;
  Ticks cpu = 0;
  MethodNumber method = 0;
  std::uint16_t thread = 0;  // its number in this log
  CallAction action = CallAction::kEnter;
};

class CallLog {
  struct Chunk;

 public:
  static constexpr std::uint16_t kMostThreads = 32767;

  explicit CallLog(std::size_t most_events, Ticks begin = TickClock::now());

  // Where one thread of the system writes.
  class Writer {
   private:
    friend class CallLog;
    Chunk* chunk_ = nullptr;
  };

  void add(Writer& writer, const CallEvent& event) noexcept;

  // The number of a Java thread, by its id; 0: there were kMostThreads others. `is_new` when it has
  // to be named. Numbers are never used twice.
  std::uint16_t number_of_thread(std::int64_t id, bool& is_new);
  void name_thread(std::uint16_t number, std::string name);
  // What was left out because of its thread.
  void lost_for_want_of_threads() noexcept { lost_.fetch_add(1, std::memory_order_relaxed); }

  // Those of now, in the order of their times.
  std::vector<CallEvent> events() const;
  std::map<std::uint16_t, std::string> thread_names() const;
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }
  Ticks begin() const noexcept { return begin_; }

 private:
  static constexpr std::size_t kEventsOfChunk = 512;
  struct Chunk {
    std::atomic<std::size_t> count{0};
    std::array<CallEvent, kEventsOfChunk> events;
  };

  bool new_chunk(Writer& writer) noexcept;

  const std::size_t most_chunks_;
  const Ticks begin_;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<bool> full_{false};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::map<std::int64_t, std::uint16_t> threads_;
  std::map<std::uint16_t, std::string> names_;
};

}  // namespace ddm
