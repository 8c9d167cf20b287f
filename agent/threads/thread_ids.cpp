#include "threads/thread_ids.h"

namespace ddm {
namespace {

constexpr std::uint32_t kMax = 65535;

}  // namespace

SmallThreadId ThreadIds::take_free() {
  if (next_ <= kMax && ended_.size() < kRemembered) return static_cast<SmallThreadId>(next_++);
  while (!ended_.empty()) {
    const auto longest = ids_.find(ended_.front());
    ended_.pop_front();
    if (longest == ids_.end() || !longest->second.ended) continue;  // alive after all
    const SmallThreadId id = longest->second.id;
    ids_.erase(longest);
    return id;
  }
  return 0;
}

ThreadIds::Entry* ThreadIds::find_or_add(std::int64_t java_id) {
  const auto found = ids_.find(java_id);
  if (found != ids_.end()) return &found->second;
  const SmallThreadId id = take_free();
  if (id == 0) return nullptr;
  return &ids_.emplace(java_id, Entry{id, false}).first->second;
}

SmallThreadId ThreadIds::of(std::int64_t java_id) {
  Entry* entry = find_or_add(java_id);
  if (entry == nullptr) return 0;
  entry->ended = false;
  return entry->id;
}

SmallThreadId ThreadIds::of_ended(std::int64_t java_id) {
  const bool known = ids_.contains(java_id);
  const Entry* entry = find_or_add(java_id);
  if (entry == nullptr) return 0;
  const SmallThreadId id = entry->id;
  if (!known) ended(java_id);
  return id;
}

void ThreadIds::ended(std::int64_t java_id) {
  const auto found = ids_.find(java_id);
  if (found == ids_.end() || found->second.ended) return;
  found->second.ended = true;
  ended_.push_back(java_id);
}

}  // namespace ddm
