// The live threads of the program, as DDM servers see them.
//
// Two sources update the table: the VM's list of threads (update) and start and end events in
// between (started, ended). Both may report the same change in either order: a thread is added once
// and removed once. Changes are returned as events for servers. Virtual threads are not included,
// as in the VM's list.
//
// Not thread-safe: the owner locks. Attached threads.
#pragma once

#include <jvmti.h>

#include <map>
#include <span>
#include <unordered_set>
#include <vector>

#include "threads/thread_ids.h"
#include "vm/thread_fields.h"
#include "wire/chunks/thread_chunks.h"

namespace ddm {

class ThreadTable {
 public:
  struct Entry {
    SmallThreadId id = 0;
    std::string name;
    bool daemon = false;
    std::uint32_t os_id = 0;
  };
  using Events = std::vector<Chunk>;  // THCR, THNM, THDE in order of occurrence

  explicit ThreadTable(const ThreadFields& fields) : fields_(fields) {}

  // Updates the table from a complete list of the VM's threads.
  void update(JNIEnv* jni, std::span<const jthread> threads, Events& events);

  void started(std::int64_t java_id, Entry facts, Events& events);
  void ended(std::int64_t java_id, Events& events);

  const std::map<std::int64_t, Entry>& live() const { return live_; }
  const Entry* find(std::int64_t java_id) const;

  // Of any thread, alive or ended.
  SmallThreadId small_id_of(std::int64_t java_id) { return ids_.of_ended(java_id); }

 private:
  void poll_name(JNIEnv* jni, jthread thread, Entry& entry, Events& events) const;

  const ThreadFields fields_;
  ThreadIds ids_;
  std::map<std::int64_t, Entry> live_;  // by Java's id
  // Ended threads that the VM still lists.
  std::unordered_set<std::int64_t> ending_;
};

}  // namespace ddm
