// Draws maps of the Java heap.
//
// The heaps of Serial, Parallel, Epsilon and G1 are walked region by region while one JVMTI heap
// call holds the VM at a safepoint. With other collectors, and in a VM with an unknown layout, a
// JVMTI iteration lists the objects; positions are then synthetic, which is logged once. (A
// server sees it by the regions: there are none, or they are ZGC's pages.)
//
// The heap call is FollowReferences with a callback that aborts it: IterateThroughHeap cannot be
// aborted and would iterate the whole heap after the walk. Before JDK 18 both calls make the heap
// parsable; later only the iteration does, and the walk skips the unused parts of TLABs.
//
// One attached thread at a time. The program is stopped during the walk only: the class table is
// built before, and figures are computed afterwards.
#pragma once

#include <jvmti.h>

#include <deque>
#include <optional>

#include "heap/heap_layout.h"
#include "heap/heap_pause.h"
#include "heap/klass_reader.h"
#include "heap/late_classes.h"
#include "heap/open_buffers.h"
#include "heap/walk/heap_map.h"
#include "heap/walk/heap_walk.h"
#include "heap/walk/walk_team.h"

namespace ddm {

class HeapMapper {
 public:
  // `start_thread` starts the threads that share the walk of a large heap.
  HeapMapper(JavaVM* vm, WalkTeam::StartThread start_thread)
      : vm_(vm), start_thread_(std::move(start_thread)) {}

  // Draws a map of the heap, without a collection.
  Result<HeapMap> draw(JNIEnv* jni, RegionDetail detail);

 private:
  enum class Walked {
    kAll,
    kMissedClasses,  // classes were loaded after the table was built: try again
    kOddRoles,       // the regions' roles contradict each other: try again
    kOddBuffers,     // open TLABs are implausible: the VM has to fill them
    kWrongLayout,    // vmStructs do not match the heap: iterate
  };

  std::string prepare(JNIEnv* jni);
  // "", or why the heap cannot be walked.
  std::string prepare_walk(JNIEnv* jni, jobject probe);
  void fall_back(const std::string& reason);
  Result<HeapMap> walk_or_list(JNIEnv* jni, RegionDetail detail);
  Result<Walked> walk(JNIEnv* jni, HeapMap& map, RegionDetail detail);
  void forget_roles(HeapMap& map);
  // ZGC's pages, as regions.
  void add_pages(HeapMap& map);
  void name_classes(const HeapPause& pause);
  std::string read_classes_and_walk(JNIEnv* jni, HeapPause& pause);
  // Chooses the call that stops the VM, and whether the walk skips open TLABs.
  void choose_stop(JNIEnv* jni);
  std::size_t most_open_buffers() const;
  std::string stop_and_walk(HeapPause& pause);
  // "", or why the VM was not stopped.
  std::string stop_by_iterating(HeapPause& pause);
  // Adds the walks' results to the map; true: some objects had unknown classes.
  static bool gather(const std::deque<HeapWalk>& walks, HeapMap& map);
  std::size_t useful_helpers() const;
  std::uint64_t likely_heap() const;
  // Reserves the walks' logs. False: no memory.
  bool reserve_logs(HeapMap& map, std::size_t threads, std::size_t spaces) const;
  // Whether a class table read now has the classes that were unknown to the walks.
  bool has_new_classes(JNIEnv* jni, const std::deque<HeapWalk>& walks);
  void drop_uncommitted(HeapMap& map) const;

  JavaVM* const vm_;
  const WalkTeam::StartThread start_thread_;
  jvmtiEnv* jvmti_ = nullptr;  // an environment of its own, for its tags
  bool prepared_ = false;
  bool roles_warned_ = false;         // odd roles were logged
  std::optional<HeapLayout> layout_;  // nullopt: the heap is iterated
  std::optional<KlassReader> klasses_;
  std::optional<LateClasses> late_classes_;
  bool stop_by_following_ = false;
  std::optional<OpenBuffers> open_buffers_;  // skipped if FollowReferences stops the VM
  jclass marked_class_ = nullptr;            // the class of the one tagged object
  jobject probe_ = nullptr;                  // a byte[] for verifying the layout, a global one
  KlassTable table_;
  std::size_t last_log_bytes_ = 0;  // the size of all logs of the last map
};

}  // namespace ddm
