#include "threads/thread_ids.h"

namespace ddm {
namespace {

constexpr std::uint32_t kMax = 65535;

}  // namespace

SmallThreadId ThreadIds::take_free() {
  if (next_ <= kMax) return static_cast<SmallThreadId>(next_++);
  if (ended_.empty()) return 0;
  const auto longest = ids_.find(ended_.front());
  ended_.pop_front();
  const SmallThreadId id = longest->second.id;
  ids_.erase(longest);
  return id;
}

ThreadIds::Entry* ThreadIds::find_or_add(std::int64_t java_id) {
  const auto found = ids_.find(java_id);
  if (found != ids_.end()) return &found->second;
  const SmallThreadId id = take_free();
  if (id == 0) return nullptr;
  return &ids_.emplace(java_id, Entry{id, ended_.end()}).first->second;
}

SmallThreadId ThreadIds::of(std::int64_t java_id) {
  Entry* entry = find_or_add(java_id);
  if (entry == nullptr) return 0;
  if (entry->place != ended_.end()) ended_.erase(entry->place);
  entry->place = ended_.end();
  return entry->id;
}

SmallThreadId ThreadIds::of_ended(std::int64_t java_id) {
  const bool known = ids_.contains(java_id);
  Entry* entry = find_or_add(java_id);
  if (entry == nullptr) return 0;
  // A requested id moves to the end of the reuse order.
  if (!known || entry->place != ended_.end()) set_ended(java_id, *entry);
  return entry->id;
}

void ThreadIds::ended(std::int64_t java_id) {
  const auto found = ids_.find(java_id);
  if (found == ids_.end() || found->second.place != ended_.end()) return;
  set_ended(java_id, found->second);
}

void ThreadIds::set_ended(std::int64_t java_id, Entry& entry) {
  if (entry.place != ended_.end()) ended_.erase(entry.place);
  entry.place = ended_.insert(ended_.end(), java_id);
}

}  // namespace ddm
