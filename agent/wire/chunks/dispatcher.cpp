#include "wire/chunks/dispatcher.h"

#include "wire/chunks/exchange.h"

namespace ddm {

bool Dispatcher::add(ChunkType type, Lane lane, ChunkHandler handler) {
  auto entry = std::make_shared<const Entry>(Entry{lane, std::move(handler)});
  const std::lock_guard lock(mutex_);
  return entries_.emplace(type, std::move(entry)).second;
}

bool Dispatcher::remove(ChunkType type) {
  decltype(entries_)::node_type removed;  // destroyed outside the lock
  const std::lock_guard lock(mutex_);
  removed = entries_.extract(type);
  return !removed.empty();
}

void Dispatcher::offer(std::initializer_list<std::string_view> names) {
  const std::lock_guard lock(mutex_);
  offered_.insert(names.begin(), names.end());
}

std::vector<std::string> Dispatcher::offered() const {
  const std::lock_guard lock(mutex_);
  return {offered_.begin(), offered_.end()};
}

void Dispatcher::dispatch(const SessionPtr& session, Bytes payload, Executor& executor,
                          ReplyDone done) {
  std::make_shared<Exchange>(*this, executor, session, std::move(payload), std::move(done))
      ->begin();
}

std::shared_ptr<const Dispatcher::Entry> Dispatcher::find(ChunkType type) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(type);
  return found == entries_.end() ? nullptr : found->second;
}

}  // namespace ddm
