// What happens while the program stands still for a map: bounds are read, the layout is tried on
// objects that are known, and all spaces are walked.
//
// Everything that may allocate has been done before. run() is called at a safepoint on the VM's
// thread, once; the members of the team walk with it.
#pragma once

#include <jvmti.h>

#include <deque>

#include "heap/heap_layout.h"
#include "heap/late_classes.h"
#include "heap/open_buffers.h"
#include "heap/walk/class_tiles.h"
#include "heap/walk/heap_map.h"
#include "heap/walk/heap_walk.h"
#include "heap/walk/walk_team.h"

namespace ddm {

inline constexpr jsize kProbeLength = 777;

struct HeapPause {
  const HeapLayout& layout;
  KlassTable& table;
  LateClasses& late_classes;
  std::deque<HeapWalk>& walks;  // one for each member of the team
  WalkTeam& team;
  HeapMap& map;  // its regions have room
  // Local references to a byte[kProbeLength] and to a class, to try the layout on; and to an object
  // that has just been made, or null: nobody asks what regions are for.
  jobject array;
  jobject mirror;
  jobject fresh;
  std::vector<HeapSpace> spaces{};
  std::deque<ClassTiles> tiles{};             // as the walks; empty: nobody wants them
  const OpenBuffers* open_buffers = nullptr;  // null: there are none
  std::vector<HeapHole> holes{};
  std::vector<HeapSpace> pieces{};  // spaces without them
  bool odd_buffers = false;
  bool odd_roles = false;  // a new object lies in no young region: they are not believed
  std::atomic<std::size_t> next_space{0};
  std::atomic<std::int64_t> cpu_nanos{0};
  bool called = false;
  const char* problem = nullptr;

  void run() noexcept;

 private:
  bool step_over_buffers() noexcept;
  void tell_regions() noexcept;
  void walk_as(std::size_t member) noexcept;
  bool in_heap(std::uintptr_t address, std::uint64_t& room) const noexcept;
  const KlassCell* try_object(jobject reference, std::uint64_t& size) const noexcept;
  bool probe() const noexcept;
};

}  // namespace ddm
