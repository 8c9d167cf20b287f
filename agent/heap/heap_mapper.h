// Draws maps of the Java heap.
//
// Serial, Parallel, Epsilon and G1 are walked from region to region while one JVMTI heap iteration
// holds the VM at a safepoint. Any other collector, and a VM whose layout is not the one we know:
// an iteration lists the objects, positions are made up, and the log says so once.
//
// What holds the VM is FollowReferences, told to end at once: IterateThroughHeap goes over the
// whole heap after the walk, whatever it is told. Before JDK 18 both make the heap parsable; later
// only the iteration does, and the walk steps over threads' open buffers.
//
// One thread at a time, attached to the VM. The program stands still during the walk and runs
// during everything else: table of classes before it, figures after it.
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
  // `start_thread`: for those that help with the walk of a large heap.
  HeapMapper(JavaVM* vm, WalkTeam::StartThread start_thread)
      : vm_(vm), start_thread_(std::move(start_thread)) {}

  // A map of the heap as it is now, without a collection.
  Result<HeapMap> draw(JNIEnv* jni, RegionDetail detail);

 private:
  enum class Walked {
    kAll,
    kMissedClasses,   // loaded since the table was made: worth a second look
    kOddRoles,        // what regions are for is not as it should be: the same
    kOddBuffers,      // open buffers are not as we think: the VM has to fill them
    kNotAsTablesSay,  // this heap cannot be walked after all
  };

  std::string prepare(JNIEnv* jni);
  void fall_back(const std::string& reason);
  Result<HeapMap> walk_or_list(JNIEnv* jni, RegionDetail detail);
  Result<Walked> walk(JNIEnv* jni, HeapMap& map, RegionDetail detail);
  void forget_roles(HeapMap& map);
  // Of ZGC.
  void add_pages(HeapMap& map);
  void name_classes(const HeapPause& pause);
  std::string read_classes_and_walk(JNIEnv* jni, HeapPause& pause);
  // How the VM is stopped, and whether buffers are open then.
  void choose_stop(JNIEnv* jni);
  std::size_t most_open_buffers() const;
  std::string stop_and_walk(HeapPause& pause);
  // "" or why the VM did not stop.
  std::string stop_by_following(HeapPause& pause);
  std::string stop_by_iterating(HeapPause& pause);
  // What the walks have found, into the map; true: there are stretches of unknown classes.
  static bool gather(const std::deque<HeapWalk>& walks, HeapMap& map);
  std::size_t useful_helpers() const;
  // For so many threads.
  bool reserve_logs(HeapMap& map, std::size_t threads, std::size_t spaces) const;
  // Whether the classes that the walks did not know have been loaded in the meantime.
  bool has_new_classes(JNIEnv* jni, const std::deque<HeapWalk>& walks);
  void drop_uncommitted(HeapMap& map) const;

  JavaVM* const vm_;
  const WalkTeam::StartThread start_thread_;
  jvmtiEnv* jvmti_ = nullptr;  // our own, so that nobody else's tags are in the way
  bool prepared_ = false;
  bool told_of_roles_ = false;        // that they are not as they should be
  std::optional<HeapLayout> layout_;  // none: the heap is iterated
  std::optional<KlassReader> klasses_;
  std::optional<LateClasses> late_classes_;
  bool stop_by_following_ = false;
  std::optional<OpenBuffers> open_buffers_;  // that a walk steps over when stopped by following
  jclass marked_class_ = nullptr;            // of the one object that the iteration is to stop at
  jobject probe_ = nullptr;                  // a byte[] to try the layout on; global reference
  KlassTable table_;
  std::size_t last_log_bytes_ = 0;  // what the last map's logs took, all of them
};

}  // namespace ddm
