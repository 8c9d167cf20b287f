// A log of entries and exits of traced methods with their times, of bounded size. Each OS thread
// writes to its own chunks; any thread may read at any time.
//
// An event is one word of 32 bits (two with the CPU time), with the time relative to the previous
// event of the chunk. Touching new memory dominates the cost of an event, hence the compact form.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/reserved_array.h"
#include "core/tick_clock.h"
#include "time/calls/method_numbers.h"
#include "time/calls/trace_threads.h"

namespace ddm {

enum class CallAction : std::uint8_t { kEnter = 0, kReturn = 1, kThrow = 2 };

struct CallEvent {
  Ticks at = 0;
  Ticks cpu = 0;
  MethodNumber method = 0;
  std::uint16_t thread = 0;  // its number in this log, from TraceThreads
  CallAction action = CallAction::kEnter;
};

class CallLog {
  using Word = std::atomic<std::uint32_t>;

 public:
  static constexpr std::size_t kEventsOfChunk = 1000;

  struct Kind {
    bool cpu = false;
    // Exact times; otherwise multiples of 64 ticks, about 25 ns. More expensive; for writers whose
    // events are not in order of time.
    bool exact = false;
  };
  // `most_events` is rounded to whole chunks.
  CallLog(std::size_t most_events, Kind kind, Ticks begin = TickClock::now());

  // The position at which one OS thread writes.
  class Writer {
   private:
    friend class CallLog;
    Word* next_ = nullptr;
    std::uint32_t left_ = 0;  // events that certainly fit in the chunk
    std::uint16_t thread_ = 0;
    std::uint64_t at_ = 0;  // time of the last event, in units
    std::uint64_t cpu_ = 0;
    Word* end_ = nullptr;
  };

  void add(Writer& writer, const CallEvent& event) noexcept {
    const std::uint64_t at = event.at >> shift_;
    const std::uint64_t since = at - writer.at_;
    if (!is_next(writer, since, event.thread)) [[unlikely]]
      return add_with_position(writer, event);
    put(writer, event, since);
  }

  // A faster add() for a log of the default kind: wall time, not exact.
  bool usual() const noexcept { return !kind_.cpu && !kind_.exact; }
  void add_usual(Writer& writer, Ticks now, MethodNumber method, std::uint16_t thread,
                 CallAction action) noexcept {
    const std::uint64_t since = (now >> kShift) - writer.at_;
    if (!is_next(writer, since, thread)) [[unlikely]]
      return add_with_position(writer, {now, 0, method, thread, action});
    put_word(writer, *writer.next_, since, method, action);
  }

  // The number of a Java thread, by its id; 0: none is left. `is_new`: it has no name yet.
  std::uint16_t number_of_thread(std::int64_t id, bool& is_new);
  void name_thread(std::uint16_t number, std::string name);
  // Counts an event dropped because its thread has no number.
  void count_lost() noexcept { lost_.fetch_add(1, std::memory_order_relaxed); }

  // Calls `use` with each event of a snapshot, in order of time. Decodes a chunk at a time: needs
  // little memory beside the log, since chunks hardly overlap in time.
  void read(const std::function<void(const CallEvent&)>& use) const;
  std::map<std::uint16_t, std::string> thread_names() const;
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }
  Ticks begin() const noexcept { return begin_; }

 private:
  // From the top bit: action + 1, method number, time since the previous event. Action bits 0: a
  // pause before the next event, or (kPosition) its thread and absolute times, two words each.
  // Unwritten memory is 0.
  static constexpr int kSinceBits = 11, kMethodBits = 19, kActionAt = kSinceBits + kMethodBits;
  static constexpr std::uint32_t kMostSince = (1u << kSinceBits) - 1;
  static constexpr std::uint32_t kPosition = 1u << (kActionAt - 1);
  static constexpr std::uint32_t kMostPause = kPosition - 1;
  static_assert(MethodNumbers::kMost == 1u << kMethodBits);

  static constexpr std::uint32_t kWordsOfPosition = 5, kMostWordsOfEvent = kWordsOfPosition + 2;
  // Sufficient if each event has a pause before it; one page of it is written if none has.
  static constexpr std::size_t kWordsOfChunk = 3072;
  static_assert(kWordsOfChunk >= 3 * kEventsOfChunk + kMostWordsOfEvent);

  static bool is_next(const Writer& writer, std::uint64_t since, std::uint16_t thread) noexcept {
    return writer.left_ != 0 && since <= kMostSince && thread == writer.thread_;
  }

  void put(Writer& writer, const CallEvent& event, std::uint64_t since) noexcept {
    Word* const word = writer.next_;
    if (kind_.cpu) {
      const std::uint64_t cpu = event.cpu >> kShift;
      word[1].store(static_cast<std::uint32_t>(cpu - writer.cpu_), std::memory_order_relaxed);
      writer.cpu_ = cpu;
      ++writer.next_;
    }
    put_word(writer, *word, since, event.method, event.action);
  }
  static void put_word(Writer& writer, Word& word, std::uint64_t since, MethodNumber method,
                       CallAction action) noexcept {
    writer.at_ += since;
    --writer.left_;
    ++writer.next_;
    word.store((static_cast<std::uint32_t>(action) + 1) << kActionAt | method << kSinceBits |
                   static_cast<std::uint32_t>(since),
               std::memory_order_release);
  }

  void add_with_position(Writer& writer, const CallEvent& event) noexcept;
  bool new_chunk(Writer& writer) noexcept;
  std::vector<CallEvent> read_chunk(std::size_t chunk) const;

  static constexpr int kShift = 6;

  const Kind kind_;
  const int shift_;
  const std::size_t most_chunks_;
  const Ticks begin_;
  ReservedArray<Word> words_;
  std::atomic<std::size_t> chunks_{0};
  std::atomic<std::uint64_t> lost_{0};
  mutable std::mutex mutex_;
  TraceThreads threads_;
  std::map<std::uint16_t, std::string> names_;
};

}  // namespace ddm
