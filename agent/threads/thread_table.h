// The live threads of the program, as DDM servers know them.
//
// The table learns in two ways: from the VM's list of threads (update) and from start and end
// events (started, ended) that came in between. Both may tell the same in either order: a thread is
// created once and dies once. Changes are handed out as the events that servers get. Virtual
// threads are not in it, as they are not in the VM's list.
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
  using Events = std::vector<Chunk>;  // THCR, THNM, THDE in the order in which things happened

  explicit ThreadTable(const ThreadFields& fields) : fields_(fields) {}

  // Brings the table up to date with a complete list of the VM's threads.
  void update(JNIEnv* jni, std::span<const jthread> threads, Events& events);

  void started(std::int64_t java_id, Entry facts, Events& events);
  void ended(std::int64_t java_id, Events& events);

  const std::map<std::int64_t, Entry>& live() const { return live_; }
  const Entry* find(std::int64_t java_id) const;

  // Of any thread that ever was.
  SmallThreadId small_id_of(std::int64_t java_id) { return ids_.of_ended(java_id); }

 private:
  void look_again(JNIEnv* jni, jthread thread, Entry& entry, Events& events) const;

  const ThreadFields fields_;
  ThreadIds ids_;
  std::map<std::int64_t, Entry> live_;  // by Java's id
  // The VM still lists a thread for a while after its end was told.
  std::unordered_set<std::int64_t> ending_;
};

}  // namespace ddm
