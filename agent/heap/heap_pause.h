// The safepoint part of drawing a map: reads the spaces' bounds, verifies the layout on known
// objects, and walks all spaces.
//
// Nothing here allocates. run() is called once, at a safepoint on the VM thread; the members of the
// team walk concurrently.
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
  HeapMap& map;  // capacity for its regions is reserved
  // Local references to a byte[kProbeLength] and to a class, for verifying the layout; and to a new
  // object for verifying region roles, or null if roles are not requested.
  jobject array;
  jobject mirror;
  jobject fresh;
  std::vector<HeapSpace> spaces{};
  std::deque<ClassTiles> tiles{};             // one per walk; empty: not requested
  const OpenBuffers* open_buffers = nullptr;  // null: none to skip
  std::vector<HeapHole> holes{};
  std::vector<HeapSpace> pieces{};  // the spaces without the open buffers
  bool odd_buffers = false;
  bool odd_roles = false;  // the new object is in no young region, so roles are not trusted
  std::atomic<std::size_t> next_space{0};
  std::atomic<std::int64_t> cpu_nanos{0};
  bool called = false;
  const char* problem = nullptr;

  void run() noexcept;

 private:
  bool step_over_buffers() noexcept;
  void record_regions() noexcept;
  void walk_as(std::size_t member) noexcept;
  const KlassCell* try_object(jobject reference, std::uint64_t& size) const noexcept;
  bool probe() const noexcept;
};

}  // namespace ddm
