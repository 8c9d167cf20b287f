#include "time/calls/call_log.h"

#include <algorithm>
#include <new>

namespace ddm {

CallLog::CallLog(std::size_t most_events, Ticks begin)
    : most_chunks_(std::max<std::size_t>(1, most_events / kEventsOfChunk)), begin_(begin) {
  chunks_.reserve(most_chunks_);
}

bool CallLog::new_chunk(Writer& writer) noexcept {
  const std::lock_guard lock(mutex_);
  if (chunks_.size() >= most_chunks_) return false;
  std::unique_ptr<Chunk> chunk(new (std::nothrow) Chunk);
  if (!chunk) return false;
  writer.chunk_ = chunk.get();
  chunks_.push_back(std::move(chunk));  // room was reserved
  return true;
}

void CallLog::add(Writer& writer, const CallEvent& event) noexcept {
  std::size_t count = writer.chunk_ != nullptr
                          ? writer.chunk_->count.load(std::memory_order_relaxed)
                          : kEventsOfChunk;
  if (count == kEventsOfChunk) [[unlikely]] {
    // Once full, nobody asks for the lock again.
    if (full_.load(std::memory_order_relaxed) || !new_chunk(writer)) {
      full_.store(true, std::memory_order_relaxed);
      lost_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    count = 0;
  }
  writer.chunk_->events[count] = event;
  writer.chunk_->count.store(count + 1, std::memory_order_release);
}

std::uint16_t CallLog::number_of_thread(std::int64_t id, bool& is_new) {
  const std::lock_guard lock(mutex_);
  const auto found = threads_.find(id);
  is_new = false;
  if (found != threads_.end()) return found->second;
  if (threads_.size() >= kMostThreads) return 0;
  is_new = true;
  return threads_[id] = static_cast<std::uint16_t>(threads_.size() + 1);
}

void CallLog::name_thread(std::uint16_t number, std::string name) {
  const std::lock_guard lock(mutex_);
  names_[number] = std::move(name);
}

std::vector<CallEvent> CallLog::events() const {
  std::vector<CallEvent> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& chunk : chunks_) {
      const std::size_t count = chunk->count.load(std::memory_order_acquire);
      all.insert(all.end(), chunk->events.begin(),
                 chunk->events.begin() + static_cast<std::ptrdiff_t>(count));
    }
  }
  // A thread's own events are in the order in which it wrote them, chunk by chunk.
  std::stable_sort(all.begin(), all.end(),
                   [](const CallEvent& a, const CallEvent& b) { return a.at < b.at; });
  return all;
}

std::map<std::uint16_t, std::string> CallLog::thread_names() const {
  const std::lock_guard lock(mutex_);
  return names_;
}

}  // namespace ddm
