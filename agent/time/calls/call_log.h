// Every entry and exit of traced methods, with its time, until the room for them is full. Each thread
// of the system writes to chunks of its own; what it has written may be read at any time.
//
// An event is one word of 32 bits (two with the CPU time): what a chunk tells is the time since the
// event before. New memory costs more than the rest of an event, so there has to be little of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
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
  std::uint16_t thread = 0;  // its number in this log, TraceThreads'
  CallAction action = CallAction::kEnter;
};

class CallLog {
  using Word = std::atomic<std::uint32_t>;

 public:
  static constexpr std::size_t kEventsOfChunk = 1000;

  struct Kind {
    bool cpu = false;
    // Times to the tick; otherwise to 64 ticks, some 25 ns. Dearer, for those that do not write in
    // the order of time.
    bool exact = false;
  };
  // Of the events, `most_events` at most, a whole number of chunks.
  CallLog(std::size_t most_events, Kind kind, Ticks begin = TickClock::now());

  // Where one thread of the system writes.
  class Writer {
   private:
    friend class CallLog;
    Word* next_ = nullptr;
    std::uint32_t left_ = 0;  // events that have room in the chunk, as long as each is a short one
    std::uint16_t thread_ = 0;
    std::uint64_t at_ = 0;  // of the last event, in units
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

  // The same in fewer instructions, for a log whose kind is none: wall time, and not exact.
  bool usual() const noexcept { return !kind_.cpu && !kind_.exact; }
  void add_usual(Writer& writer, Ticks now, MethodNumber method, std::uint16_t thread,
                 CallAction action) noexcept {
    const std::uint64_t since = (now >> kShift) - writer.at_;
    if (!is_next(writer, since, thread)) [[unlikely]]
      return add_with_position(writer, {now, 0, method, thread, action});
    put_word(writer, *writer.next_, since, method, action);
  }

  // The number of a Java thread, by its id; 0: all are taken. `is_new` when it has to be named.
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
  // An event: its action and one, above the number of its method, above the time since the event
  // before. Where the action would be 0: a pause before the next event, or its thread and times
  // (kPosition), two words each. Memory that nothing was written to is 0.
  static constexpr int kSinceBits = 11, kMethodBits = 19, kActionAt = kSinceBits + kMethodBits;
  static constexpr std::uint32_t kMostSince = (1u << kSinceBits) - 1;
  static constexpr std::uint32_t kPosition = 1u << (kActionAt - 1);
  static constexpr std::uint32_t kMostPause = kPosition - 1;
  static_assert(MethodNumbers::kMost == 1u << kMethodBits);

  static constexpr std::uint32_t kWordsOfPosition = 5, kMostWordsOfEvent = kWordsOfPosition + 2;
  // Where each event has a pause before it. Of a page's size when none has.
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
  void read_chunk(std::size_t chunk, std::vector<CallEvent>& events) const;

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
