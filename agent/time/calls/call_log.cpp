#include "time/calls/call_log.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ddm {
namespace {

// What is left of a chunk.
struct Part {
  Ticks at = 0;  // of the next event
  std::size_t chunk = 0;
  std::size_t size = 0;  // without events written since the first look
  std::size_t next = 0;
  std::vector<CallEvent> events;  // empty until the first is due

  static bool is_later(const Part& a, const Part& b) {
    return std::tie(a.at, a.chunk) > std::tie(b.at, b.chunk);
  }
  bool advance() {
    if (++next < size) at = events[next].at;
    return next < size;
  }
};

}  // namespace

CallLog::CallLog(std::size_t most_events, Kind kind, Ticks begin)
    : kind_(kind),
      shift_(kind.exact ? 0 : kShift),
      most_chunks_(std::max<std::size_t>(1, most_events / kEventsOfChunk)),
      begin_(begin),
      words_(most_chunks_ * kWordsOfChunk) {}

bool CallLog::new_chunk(Writer& writer) noexcept {
  // Once the log is full, chunks_ is not incremented any more.
  if (!words_.good() || chunks_.load(std::memory_order_relaxed) >= most_chunks_) return false;
  const std::size_t chunk = chunks_.fetch_add(1, std::memory_order_relaxed);
  if (chunk >= most_chunks_) return false;
  writer.next_ = &words_[chunk * kWordsOfChunk];
  writer.end_ = writer.next_ + kWordsOfChunk;
  writer.left_ = kEventsOfChunk;
  writer.thread_ = 0;
  return true;
}

void CallLog::add_with_position(Writer& writer, const CallEvent& event) noexcept {
  if (writer.left_ == 0 && !new_chunk(writer)) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const std::uint64_t at = event.at >> shift_;
  const std::uint64_t cpu = event.cpu >> kShift;
  Word* const word = writer.next_;
  const std::uint64_t pause = at - writer.at_;
  if (event.thread == writer.thread_ && pause <= kMostPause) {
    word->store(static_cast<std::uint32_t>(pause), std::memory_order_release);
    writer.next_ += 1;
  } else {
    word[1].store(static_cast<std::uint32_t>(at >> 32), std::memory_order_relaxed);
    word[2].store(static_cast<std::uint32_t>(at), std::memory_order_relaxed);
    word[3].store(static_cast<std::uint32_t>(cpu >> 32), std::memory_order_relaxed);
    word[4].store(static_cast<std::uint32_t>(cpu), std::memory_order_relaxed);
    word->store(kPosition | event.thread, std::memory_order_release);
    writer.next_ += kWordsOfPosition;
    writer.thread_ = event.thread;
    writer.cpu_ = cpu;
  }
  writer.at_ = at;
  put(writer, event, 0);
  // Guaranteed for any sequence of events, while left_ is not 0.
  const auto room = static_cast<std::size_t>(writer.end_ - writer.next_);
  const std::size_t safe = room < kMostWordsOfEvent ? 0 : (room - kMostWordsOfEvent) / 2 + 1;
  writer.left_ = static_cast<std::uint32_t>(std::min<std::size_t>(writer.left_, safe));
}

// A thread's own events are in the order of writing.
std::vector<CallEvent> CallLog::read_chunk(std::size_t chunk) const {
  std::vector<CallEvent> events;
  events.reserve(kEventsOfChunk);
  const Word* word = &words_[chunk * kWordsOfChunk];
  const Word* const end = word + kWordsOfChunk;
  const auto pair = [](const Word* high) {
    return std::uint64_t{high[0].load(std::memory_order_relaxed)} << 32 |
           high[1].load(std::memory_order_relaxed);
  };
  std::uint64_t at = 0, cpu = 0;
  std::uint16_t thread = 0;
  while (word < end) {
    const std::uint32_t value = word->load(std::memory_order_acquire);
    if (value == 0) break;
    if (const std::uint32_t action = value >> kActionAt; action != 0) {
      at += value & kMostSince;
      if (kind_.cpu) {
        cpu += static_cast<std::uint64_t>(
            static_cast<std::int32_t>(word[1].load(std::memory_order_relaxed)));
      }
      events.push_back({at << shift_, cpu << kShift,
                        value >> kSinceBits & (MethodNumbers::kMost - 1), thread,
                        static_cast<CallAction>(action - 1)});
      word += kind_.cpu ? 2 : 1;
    } else if ((value & kPosition) != 0) {
      thread = static_cast<std::uint16_t>(value);
      at = pair(word + 1);
      cpu = pair(word + 3);
      word += kWordsOfPosition;
    } else {
      at += value;
      ++word;
    }
  }
  std::ranges::stable_sort(events, {}, &CallEvent::at);
  return events;
}

std::uint16_t CallLog::number_of_thread(std::int64_t id, bool& is_new) {
  const std::lock_guard lock(mutex_);
  return threads_.number_of(id, is_new);
}

void CallLog::name_thread(std::uint16_t number, std::string name) {
  const std::lock_guard lock(mutex_);
  names_[number] = std::move(name);
}

void CallLog::read(const std::function<void(const CallEvent&)>& use) const {
  std::vector<Part> waiting;  // the earliest last; of equal ones that with the lowest number
  const std::size_t chunks = std::min(chunks_.load(std::memory_order_acquire), most_chunks_);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const std::vector<CallEvent> events = read_chunk(chunk);
    if (!events.empty()) waiting.push_back({events.front().at, chunk, events.size(), 0, {}});
  }
  std::ranges::sort(waiting, Part::is_later);
  std::vector<Part> open;  // a heap with the earliest on top
  while (!waiting.empty() || !open.empty()) {
    while (!waiting.empty() && (open.empty() || Part::is_later(open.front(), waiting.back()))) {
      open.push_back(std::move(waiting.back()));
      waiting.pop_back();
      open.back().events = read_chunk(open.back().chunk);
      std::ranges::push_heap(open, Part::is_later);
    }
    std::ranges::pop_heap(open, Part::is_later);
    Part& first = open.back();
    const auto is_first = [&] {
      return (waiting.empty() || Part::is_later(waiting.back(), first)) &&
             (open.size() == 1 || Part::is_later(open.front(), first));
    };
    do {
      use(first.events[first.next]);
    } while (first.advance() && is_first());
    if (first.next < first.size) {
      std::ranges::push_heap(open, Part::is_later);
    } else {
      open.pop_back();
    }
  }
}

std::map<std::uint16_t, std::string> CallLog::thread_names() const {
  const std::lock_guard lock(mutex_);
  return names_;
}

}  // namespace ddm
