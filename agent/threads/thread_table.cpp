#include "threads/thread_table.h"

namespace ddm {

const ThreadTable::Entry* ThreadTable::find(std::int64_t java_id) const {
  const auto found = live_.find(java_id);
  return found == live_.end() ? nullptr : &found->second;
}

void ThreadTable::started(std::int64_t java_id, Entry facts, Events& events) {
  if (live_.contains(java_id) || ending_.contains(java_id)) return;
  facts.id = ids_.of(java_id);
  if (facts.id == 0) return;  // 65,535 other threads are alive
  events.push_back(to_chunk(ThreadCreated{facts.id, facts.name}));
  live_.emplace(java_id, std::move(facts));
}

void ThreadTable::ended(std::int64_t java_id, Events& events) {
  ending_.insert(java_id);
  const auto found = live_.find(java_id);
  if (found == live_.end()) return;
  events.push_back(to_chunk(ThreadDied{found->second.id}));
  ids_.ended(java_id);
  live_.erase(found);
}

void ThreadTable::poll_name(JNIEnv* jni, jthread thread, Entry& entry, Events& events) const {
  if (entry.os_id == 0) entry.os_id = fields_.os_id(jni, thread);
  std::string name = fields_.name(jni, thread);
  if (name == entry.name) return;
  entry.name = std::move(name);
  events.push_back(to_chunk(ThreadRenamed{entry.id, entry.name}));
}

void ThreadTable::update(JNIEnv* jni, std::span<const jthread> threads, Events& events) {
  std::unordered_set<std::int64_t> listed;
  std::vector<std::pair<std::int64_t, jthread>> unknown;
  listed.reserve(threads.size());
  for (const jthread thread : threads) {
    const std::int64_t java_id = fields_.id(jni, thread);
    listed.insert(java_id);
    const auto known = live_.find(java_id);
    if (known != live_.end()) {
      poll_name(jni, thread, known->second, events);
    } else {
      unknown.emplace_back(java_id, thread);
    }
  }
  std::vector<std::int64_t> gone;
  for (const auto& [java_id, entry] : live_) {
    if (!listed.contains(java_id)) gone.push_back(java_id);
  }
  for (const std::int64_t java_id : gone) ended(java_id, events);
  std::erase_if(ending_, [&](std::int64_t java_id) { return !listed.contains(java_id); });
  for (const auto& [java_id, thread] : unknown) {
    started(java_id,
            {0, fields_.name(jni, thread), fields_.daemon(jni, thread), fields_.os_id(jni, thread)},
            events);
  }
}

}  // namespace ddm
