#include "heap/heap_mapper.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/log.h"
#include "heap/committed_memory.h"
#include "heap/heap_iteration.h"
#include "heap/heap_spaces.h"
#include "heap/z_pages.h"
#include "vm/jvmti_environment.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/known_objects.h"
#include "vm/vm_facts.h"
#include "vm/vm_flags.h"
#include "vm/vm_pause.h"
#include "vm/vm_threads.h"

namespace ddm {
namespace {

constexpr jlong kMark = 1;
constexpr std::size_t kLogBytesPerSpace = 32;
constexpr std::uint64_t kGrowth = std::uint64_t{64}
                                  << 20;     // growth of the heap until the safepoint
constexpr std::uint64_t kUsualObject = 128;  // bytes in use per object
constexpr std::size_t kUsualEntry = 2;       // bytes of its log entry

// A program that keeps loading classes always has some newer than the table.
constexpr int kAttempts = 3;

constexpr int kLastThatFillsBuffers = 17;   // at every heap iteration or walk
constexpr std::size_t kMoreThreads = 1024;  // threads that may start before the safepoint

jint JNICALL visit_object(jlong, jlong, jlong*, jint, void* pause) {
  static_cast<HeapPause*>(pause)->run();
  return JVMTI_VISIT_ABORT;
}

}  // namespace

std::string HeapMapper::prepare(JNIEnv* jni) {
  if (prepared_) return "";
  if (jvmti_ == nullptr) jvmti_ = make_jvmti_environment(vm_).release();
  if (jvmti_ == nullptr) return "no JVMTI environment";
  jvmtiCapabilities wanted{};
  wanted.can_tag_objects = 1;
  const jvmtiError error = jvmti_->AddCapabilities(&wanted);
  if (error != JVMTI_ERROR_NONE) return std::string("can_tag_objects: ") + jvmti_error_name(error);
  const LocalRef<jbyteArray> probe(jni, jni->NewByteArray(kProbeLength));
  if (clear_exception(jni) || !probe) return "the heap is full";
  prepared_ = true;
  const std::string reason = prepare_walk(jni, probe.get());
  if (!reason.empty()) fall_back(reason);
  return "";
}

std::string HeapMapper::prepare_walk(JNIEnv* jni, jobject probe) {
  auto layout = HeapLayout::detect();
  if (!layout) return layout.message();
  std::string wrong = wrong_in_layout(jvmti_, jni, layout->objects, layout->klasses, nullptr);
  if (wrong.empty()) wrong = unreadable_in(*layout);
  if (!wrong.empty()) return "the heap is not as this VM's " + wrong + " says";
  klasses_.emplace(jvmti_);
  std::string missing = klasses_->prepare(jni, *layout);
  if (!missing.empty()) return missing;
  if (jvmti_->SetTag(klasses_->unsafe(), kMark) != JVMTI_ERROR_NONE) {
    return "objects cannot be tagged";
  }
  probe_ = jni->NewGlobalRef(probe);
  const LocalRef<jclass> marked(jni, jni->GetObjectClass(klasses_->unsafe()));
  marked_class_ = static_cast<jclass>(jni->NewGlobalRef(marked.get()));
  if (probe_ == nullptr || marked_class_ == nullptr) return "no memory for references";
  layout_ = std::move(*layout);
  late_classes_.emplace(jvmti_, *klasses_, *layout_);
  choose_stop(jni);
  return "";
}

void HeapMapper::choose_stop(JNIEnv* jni) {
  const int release = vm_feature_release(jvmti_);
  stop_by_following_ = release <= kLastThatFillsBuffers;
  if (stop_by_following_) return;
  // With NUMA, Parallel's young spaces consist of a part per memory node, with holes in between.
  if (vm_flags::boolean("UseNUMA").value_or(true) && layout_->collector == Collector::kParallel) {
    return;
  }
  open_buffers_ =
      OpenBuffers::find(jni, layout_->objects, VmThreads::current(jvmti_, jni), release);
  stop_by_following_ = open_buffers_.has_value();
}

std::size_t HeapMapper::most_open_buffers() const {
  jint threads = 0;
  JvmtiPtr<jthread> all(jvmti_);
  if (!open_buffers_ || jvmti_->GetAllThreads(&threads, all.out()) != JVMTI_ERROR_NONE) return 0;
  return static_cast<std::size_t>(threads) + kMoreThreads;
}

void HeapMapper::fall_back(const std::string& reason) {
  layout_.reset();
  const auto uses = [](const char* flag) { return vm_flags::boolean(flag).value_or(false); };
  const bool expected = uses("UseZGC") || uses("UseShenandoahGC");
  log_at(expected ? LogLevel::kInfo : LogLevel::kWarn,
         "heap map: {}; objects are listed by JVMTI, their addresses are made up", reason);
}

Result<HeapMap> HeapMapper::draw(JNIEnv* jni, RegionDetail detail) {
  const std::string error = prepare(jni);
  if (!error.empty()) return Error{error};
  auto map = walk_or_list(jni, detail);
  if (!map) return map;
  map->complete();
  using Milliseconds = std::chrono::duration<double, std::milli>;
  log_debug(
      "heap map: {} objects, {} bytes, walked in {:.2f} ms of CPU, {:.2f} ms by {} threads, the "
      "program stood still for {:.2f} ms; {} gaps; log {} bytes",
      map->objects(), map->committed_bytes(), Milliseconds(map->walk_cpu).count(),
      Milliseconds(map->walk_time).count(), map->threads, Milliseconds(map->pause_time).count(),
      map->gaps, map->log_bytes());
  return map;
}

Result<HeapMap> HeapMapper::walk_or_list(JNIEnv* jni, RegionDetail detail) {
  for (int attempts_left = kAttempts; layout_; --attempts_left) {
    HeapMap map;
    const auto walked = walk(jni, map, detail);
    if (!walked) return walked.error();
    if (*walked == Walked::kWrongLayout) break;
    if (*walked == Walked::kOddBuffers) {
      log_info("heap map: threads' open buffers are not as expected, the VM is asked to fill them");
      stop_by_following_ = false;
      continue;
    }
    const bool better = *walked == Walked::kMissedClasses || *walked == Walked::kOddRoles;
    if (better && attempts_left > 1) continue;
    if (*walked == Walked::kOddRoles) forget_roles(map);
    split_humongous(map, layout_->regions.bytes);
    drop_uncommitted(map);
    return map;
  }
  auto listed = iterate_heap(jvmti_, jni);
  if (listed && detail != RegionDetail::kNone) add_pages(*listed);
  return listed;
}

// A collection between the allocation of the object and the walk may have moved it, but not
// repeatedly.
void HeapMapper::forget_roles(HeapMap& map) {
  for (HeapRegion& region : map.regions) region.role = RegionRole::kUnknown;
  if (std::exchange(roles_warned_, true)) return;
  log_warn("heap map: what regions are for is not told: a new object lies in no young one");
}

void HeapMapper::add_pages(HeapMap& map) {
  if (!vm_flags::boolean("UseZGC").value_or(false)) return;
  auto pages = read_z_pages(total_heap_memory().value_or(0));
  if (pages) {
    map.regions = std::move(*pages);
  } else if (!std::exchange(roles_warned_, true)) {
    log_info("heap map: pages are not told: {} is not as this VM's tables say", pages.message());
  }
}

Result<HeapMapper::Walked> HeapMapper::walk(JNIEnv* jni, HeapMap& map, RegionDetail detail) {
  // Everything slow precedes the reading of the class table, which misses classes loaded later.
  const std::size_t buffers = most_open_buffers();
  const std::size_t most = max_spaces(*layout_) + buffers;
  WalkTeam team(useful_helpers(), start_thread_);
  map.threads = team.members();
  if (!reserve_logs(map, team.members(), most)) return Error{"no address space for a map"};
  std::deque<HeapWalk> walks;
  for (std::size_t member = 0; member < team.members(); ++member) {
    walks.emplace_back(layout_->objects, table_, map, member * HeapWalk::kLogs, most);
  }
  // Keeps every class of the table alive until the walk is over.
  const LocalFrame frame(jni, 64);
  if (!frame.good()) return Error{"no memory for references"};
  HeapPause pause{*layout_,
                  table_,
                  *late_classes_,
                  walks,
                  team,
                  map,
                  jni->NewLocalRef(probe_),
                  jni->NewLocalRef(marked_class_),
                  detail != RegionDetail::kNone ? jni->NewByteArray(1) : nullptr};
  if (clear_exception(jni) || pause.array == nullptr || pause.mirror == nullptr) {
    return Error{"no memory for references"};
  }
  pause.spaces.reserve(most);
  pause.pieces.reserve(most);
  pause.holes.reserve(buffers);
  map.regions.reserve(most);
  if (detail == RegionDetail::kClasses) {
    map.tile_bytes = ClassTiles::tile_bytes_of(total_heap_memory().value_or(0));
  }
  const std::string error = read_classes_and_walk(jni, pause);
  for (RunLog& log : map.logs) log.trim();
  last_log_bytes_ = map.log_bytes();
  if (!error.empty()) return Error{error};
  if (pause.odd_buffers) return Walked::kOddBuffers;
  if (pause.problem != nullptr) {
    fall_back(std::string(pause.problem) + " is not what this VM's tables say");
    return Walked::kWrongLayout;
  }
  if (map.full()) return Error{"no memory for a map of so many objects"};
  name_classes(pause);
  if (gather(walks, map) && has_new_classes(jni, walks)) return Walked::kMissedClasses;
  return pause.odd_roles ? Walked::kOddRoles : Walked::kAll;
}

std::string HeapMapper::read_classes_and_walk(JNIEnv* jni, HeapPause& pause) {
  std::string error = late_classes_->begin();
  if (!error.empty()) return "ClassPrepare: " + error;
  const std::unique_ptr<LateClasses, void (*)(LateClasses*)> begun(
      &*late_classes_, [](LateClasses* classes) { classes->end(); });
  error = klasses_->read(jni, *layout_, table_);
  table_.reserve(LateClasses::kMost);
  const std::uint64_t tile = pause.map.tile_bytes;
  for (std::size_t i = 0; tile != 0 && i < pause.team.members(); ++i) {
    const std::uint64_t tiles = likely_heap() / tile;
    pause.tiles.emplace_back(layout_->objects, table_, tile, klasses_->classes().size(),
                             static_cast<std::size_t>(tiles) + pause.spaces.capacity());
  }
  return error.empty() ? stop_and_walk(pause) : error;
}

// Call while the local references of the table's classes are valid.
void HeapMapper::name_classes(const HeapPause& pause) {
  std::map<std::uint32_t, std::uint32_t> places;
  for (const ClassTiles& counted : pause.tiles) {
    for (TileClass tile : counted.tiles()) {
      const auto [place, is_new] = places.try_emplace(
          tile.class_index, static_cast<std::uint32_t>(pause.map.tile_classes.size()));
      if (is_new) pause.map.tile_classes.push_back(klasses_->name_of(tile.class_index));
      tile.class_index = place->second;
      pause.map.tiles.push_back(tile);
    }
  }
}

bool HeapMapper::gather(const std::deque<HeapWalk>& walks, HeapMap& map) {
  Gaps gaps;
  for (const HeapWalk& walk : walks) {
    map.areas.insert(map.areas.end(), walk.areas().begin(), walk.areas().end());
    gaps += walk.gaps();
  }
  map.gaps = gaps.count;
  map.sort_areas();
  if (gaps.count == 0) return false;
  log_debug("heap map: {} stretches, {} bytes, of classes unknown", gaps.count, gaps.bytes);
  return true;
}

// The program is stopped, so the walk may use its processors; beyond four, walks are limited by
// memory bandwidth.
std::size_t HeapMapper::useful_helpers() const {
  constexpr std::uint64_t kLargeHeap = std::uint64_t{64} << 20;
  jint processors = 1;
  if (total_heap_memory().value_or(0) < kLargeHeap ||
      jvmti_->GetAvailableProcessors(&processors) != JVMTI_ERROR_NONE) {
    return 0;
  }
  return static_cast<std::size_t>(std::clamp(processors, 1, 4) - 1);
}

// What the heap has at most, growth until the walk included.
std::uint64_t HeapMapper::likely_heap() const {
  const std::uint64_t committed = total_heap_memory().value_or(layout_->reserved_bytes);
  return std::min(layout_->reserved_bytes, committed + committed / 4 + kGrowth);
}

// A log has capacity for a heap of smallest objects, since one lane may get all of them; the pages
// that are likely to be needed are committed before the safepoint.
bool HeapMapper::reserve_logs(HeapMap& map, std::size_t threads, std::size_t spaces) const {
  const std::uint64_t most_objects = likely_heap() / layout_->objects.min_object_bytes();
  const std::size_t logs = threads * HeapWalk::kLogs;
  const std::size_t expected = last_log_bytes_ != 0
                                   ? last_log_bytes_ + last_log_bytes_ / 8
                                   : used_heap_memory().value_or(0) / kUsualObject * kUsualEntry;
  for (std::size_t i = 0; i < logs; ++i) {
    auto log = RunLog::reserve(most_objects * 2 + spaces * kLogBytesPerSpace);
    if (!log) return false;
    log->populate(expected / logs);
    map.logs.push_back(std::move(*log));
  }
  return true;
}

std::string HeapMapper::stop_by_iterating(HeapPause& pause) {
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_iteration_callback = visit_object;
  jvmtiError error =
      jvmti_->IterateThroughHeap(JVMTI_HEAP_FILTER_UNTAGGED, marked_class_, &callbacks, &pause);
  if (error == JVMTI_ERROR_NONE && !pause.called) {
    error = jvmti_->IterateThroughHeap(0, nullptr, &callbacks, &pause);
  }
  if (error != JVMTI_ERROR_NONE)
    return std::string("IterateThroughHeap: ") + jvmti_error_name(error);
  return pause.called ? "" : "the VM found no object";
}

std::string HeapMapper::stop_and_walk(HeapPause& pause) {
  log_debug("heap map: the VM is stopped by {}",
            stop_by_following_ ? "FollowReferences" : "IterateThroughHeap");
  const auto begin = std::chrono::steady_clock::now();
  std::string problem;
  if (stop_by_following_) {
    pause.open_buffers = open_buffers_ ? &*open_buffers_ : nullptr;
    problem = run_in_pause_at_tagged(jvmti_, [&pause] { pause.run(); });
    pause.open_buffers = nullptr;
  }
  if (!pause.called) problem = stop_by_iterating(pause);
  pause.map.pause_time = std::chrono::steady_clock::now() - begin;
  return problem.empty() ? "" : "stopping the VM: " + problem;
}

bool HeapMapper::has_new_classes(JNIEnv* jni, const std::deque<HeapWalk>& walks) {
  if (!klasses_->read(jni, *layout_, table_).empty()) return false;
  return std::ranges::any_of(walks, [this](const HeapWalk& walk) {
    return walk.any_unknown([this](std::uint64_t key) { return table_.find(key) != nullptr; });
  });
}

void HeapMapper::drop_uncommitted(HeapMap& map) const {
  if (layout_->collector != Collector::kG1) return;
  const auto total = total_heap_memory();
  if (!total) return;
  std::uint64_t bytes = 0;
  for (const HeapArea& area : map.areas) bytes += area.bytes;
  if (bytes <= *total) return;
  const auto ranges = writable_memory(layout_->base, layout_->base + layout_->reserved_bytes);
  const auto writable = [&](const HeapArea& area) {
    const std::uintptr_t begin = layout_->base + area.position;
    return std::ranges::any_of(ranges, [&](const MemoryRange& range) {
      return range.begin <= begin && begin + area.bytes <= range.end;
    });
  };
  // First regions that the kernel shows as unmapped; then, since G1 uncommits the highest first and
  // gradually, the highest ones.
  for (const bool whether_writable : {false, true}) {
    for (auto area = map.areas.end(); area != map.areas.begin() && bytes > *total;) {
      --area;
      if (!area->free_region || writable(*area) != whether_writable) continue;
      bytes -= area->bytes;
      area = map.areas.erase(area);
    }
  }
}

}  // namespace ddm
