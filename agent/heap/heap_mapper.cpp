#include "heap/heap_mapper.h"

#include <algorithm>
#include <ctime>

#include "core/log.h"
#include "heap/committed_memory.h"
#include "heap/heap_iteration.h"
#include "heap/heap_spaces.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_facts.h"
#include "vm/vm_flags.h"
#include "vm/vm_pause.h"
#include "vm/vm_threads.h"

namespace ddm {
namespace {

constexpr jlong kMark = 1;
constexpr jsize kProbeLength = 777;
constexpr std::size_t kLogBytesPerSpace = 32;
constexpr std::uint64_t kGrowth = std::uint64_t{64} << 20;  // of the heap until it stands still
constexpr std::uint64_t kUsualObject = 128;                 // bytes of heap in use for one object
constexpr std::size_t kUsualEntry = 2;                      // bytes in a log for it

// A program that loads classes all the time always has some that are newer than the table.
constexpr int kAttempts = 3;

constexpr int kLastThatFillsBuffers = 17;   // whenever it looks through the heap
constexpr std::size_t kMoreThreads = 1024;  // that begin before the program stands still

std::chrono::nanoseconds now_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::uintptr_t address_in(jobject local_reference) {
  return read_at<std::uintptr_t>(reinterpret_cast<std::uintptr_t>(local_reference));
}

}  // namespace

// What the callback works with. Everything that may allocate has been done before.
struct HeapMapper::Pause {
  const HeapLayout& layout;
  KlassTable& table;
  LateClasses& late_classes;
  std::deque<HeapWalk>& walks;  // one for each member of the team
  WalkTeam& team;
  HeapMap& map;
  // Local references to a byte[kProbeLength] and to a class, to try the layout on.
  jobject array;
  jobject mirror;
  std::vector<HeapSpace> spaces;
  const OpenBuffers* open_buffers = nullptr;  // null: there are none
  std::vector<HeapHole> holes{};
  std::vector<HeapSpace> pieces{};  // spaces without them
  bool odd_buffers = false;
  std::atomic<std::size_t> next_space{0};
  std::atomic<std::int64_t> cpu_nanos{0};
  bool called = false;
  const char* problem = nullptr;

  static jint JNICALL on_object(jlong, jlong, jlong*, jint, void* pause) {
    static_cast<Pause*>(pause)->run();
    return JVMTI_VISIT_ABORT;
  }

  void run() noexcept {
    if (called) return;
    called = true;
    const auto begin = now_of(CLOCK_MONOTONIC);
    late_classes.add_to(table);
    if (!read_spaces(layout, spaces)) {
      problem = "the bounds of the heap's regions";
    } else if (!step_over_buffers()) {
      odd_buffers = true;
    } else if (!probe()) {
      problem = "the layout of objects";
    } else {
      team.run([this](std::size_t member) { walk_as(member); });
    }
    map.walk_time = now_of(CLOCK_MONOTONIC) - begin;
    map.walk_cpu = std::chrono::nanoseconds(cpu_nanos);
  }

  bool step_over_buffers() noexcept {
    if (open_buffers == nullptr) return true;
    if (!open_buffers->read(holes) || !cut_at(holes, spaces, pieces)) return false;
    spaces.swap(pieces);
    return true;
  }

  void walk_as(std::size_t member) noexcept {
    const auto begin = now_of(CLOCK_THREAD_CPUTIME_ID);
    walks[member].walk(spaces, layout.base, next_space);
    cpu_nanos += (now_of(CLOCK_THREAD_CPUTIME_ID) - begin).count();
  }

  bool in_heap(std::uintptr_t address, std::uint64_t& room) const noexcept {
    for (const HeapSpace& space : spaces) {
      if (address < space.bottom || address >= space.top) continue;
      room = space.limit - address;
      return room >= 64;
    }
    return false;
  }

  const KlassCell* try_object(jobject reference, std::uint64_t& size) const noexcept {
    const std::uintptr_t object = address_in(reference);
    std::uint64_t room = 0;
    if (!in_heap(object, room)) return nullptr;
    const KlassCell* cell = table.find(key_at(layout.objects, object));
    if (cell != nullptr) size = size_of(layout.objects, *cell, object, room);
    return cell;
  }

  // Two objects that we know must look as the layout says.
  bool probe() const noexcept {
    std::uint64_t size = 0;
    const KlassCell* cell = try_object(array, size);
    if (cell == nullptr || cell->form != SizeForm::kArray || cell->shift != 0 ||
        size != layout.objects.align(cell->bytes + kProbeLength) ||
        read_at<jint>(address_in(array) + layout.objects.array_length_offset) != kProbeLength) {
      return false;
    }
    cell = try_object(mirror, size);
    return cell != nullptr && cell->form == SizeForm::kClass && size >= 64 && size < (64 << 10);
  }
};

std::string HeapMapper::prepare(JNIEnv* jni) {
  if (prepared_) return "";
  if (jvmti_ == nullptr) {
    void* env = nullptr;
    if (vm_->GetEnv(&env, JVMTI_VERSION_11) != JNI_OK) return "no JVMTI environment";
    jvmti_ = static_cast<jvmtiEnv*>(env);
  }
  jvmtiCapabilities wanted{};
  wanted.can_tag_objects = 1;
  const jvmtiError error = jvmti_->AddCapabilities(&wanted);
  if (error != JVMTI_ERROR_NONE) return std::string("can_tag_objects: ") + jvmti_error_name(error);
  const LocalRef<jbyteArray> probe(jni, jni->NewByteArray(kProbeLength));
  if (clear_exception(jni) || !probe) return "the heap is full";
  prepared_ = true;

  auto layout = HeapLayout::detect();
  if (!layout) {
    fall_back(layout.message());
    return "";
  }
  klasses_.emplace(jvmti_);
  std::string missing = klasses_->prepare(jni, *layout);
  if (missing.empty() && jvmti_->SetTag(klasses_->unsafe(), kMark) != JVMTI_ERROR_NONE) {
    missing = "objects cannot be tagged";
  }
  if (!missing.empty()) {
    fall_back(missing);
    return "";
  }
  probe_ = jni->NewGlobalRef(probe.get());
  const LocalRef<jclass> marked(jni, jni->GetObjectClass(klasses_->unsafe()));
  marked_class_ = static_cast<jclass>(jni->NewGlobalRef(marked.get()));
  if (probe_ == nullptr || marked_class_ == nullptr) {
    fall_back("no memory for references");
    return "";
  }
  layout_ = std::move(*layout);
  late_classes_.emplace(jvmti_, *klasses_, *layout_);
  choose_stop(jni);
  return "";
}

void HeapMapper::choose_stop(JNIEnv* jni) {
  stop_by_following_ = vm_feature_release(jvmti_) <= kLastThatFillsBuffers;
  if (stop_by_following_) return;
  // Parallel's young space has parts, and holes between them, for processors' nodes of memory.
  if (vm_flags::boolean("UseNUMA").value_or(true) && layout_->collector == Collector::kParallel) {
    return;
  }
  open_buffers_ = OpenBuffers::find(layout_->objects, VmThreads::current(jvmti_, jni));
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
  log_warn("heap map: {}; objects are listed by JVMTI, their addresses are made up", reason);
}

Result<HeapMap> HeapMapper::draw(JNIEnv* jni) {
  const std::string error = prepare(jni);
  if (!error.empty()) return Error{error};
  auto map = walk_or_list(jni);
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

Result<HeapMap> HeapMapper::walk_or_list(JNIEnv* jni) {
  for (int attempts_left = kAttempts; layout_; --attempts_left) {
    HeapMap map;
    const auto walked = walk(jni, map);
    if (!walked) return walked.error();
    if (*walked == Walked::kNotAsTablesSay) break;
    if (*walked == Walked::kOddBuffers) {
      log_info("heap map: threads' open buffers are not as expected, the VM is asked to fill them");
      stop_by_following_ = false;
      continue;
    }
    if (*walked == Walked::kMissedClasses && attempts_left > 1) continue;
    drop_uncommitted(map);
    return map;
  }
  return iterate_heap(jvmti_, jni);
}

Result<HeapMapper::Walked> HeapMapper::walk(JNIEnv* jni, HeapMap& map) {
  // All that takes time comes before the table of classes: what is loaded after it is not in it.
  const std::size_t buffers = most_open_buffers();
  const std::size_t most = max_spaces(*layout_) + buffers;
  WalkTeam team(useful_helpers(), start_thread_);
  map.threads = team.members();
  if (!reserve_logs(map, team.members(), most)) return Error{"no address space for a map"};
  std::deque<HeapWalk> walks;
  for (std::size_t member = 0; member < team.members(); ++member) {
    walks.emplace_back(layout_->objects, table_, map, member * HeapWalk::kLogs, most);
  }
  // Holds every class of the table until the walk is over.
  const LocalFrame frame(jni, 64);
  if (!frame.good()) return Error{"no memory for references"};
  Pause pause{*layout_, table_, *late_classes_,           walks,
              team,     map,    jni->NewLocalRef(probe_), jni->NewLocalRef(marked_class_),
              {}};
  if (pause.array == nullptr || pause.mirror == nullptr) return Error{"no memory for references"};
  pause.spaces.reserve(most);
  pause.pieces.reserve(most);
  pause.holes.reserve(buffers);
  const std::string error = read_classes_and_walk(jni, pause);
  for (RunLog& log : map.logs) log.trim();
  last_log_bytes_ = map.log_bytes();
  if (!error.empty()) return Error{error};
  if (pause.odd_buffers) return Walked::kOddBuffers;
  if (pause.problem != nullptr) {
    fall_back(std::string(pause.problem) + " is not what this VM's tables say");
    return Walked::kNotAsTablesSay;
  }
  if (map.full()) return Error{"no memory for a map of so many objects"};
  return gather(walks, map) && has_new_classes(jni, walks) ? Walked::kMissedClasses : Walked::kAll;
}

std::string HeapMapper::read_classes_and_walk(JNIEnv* jni, Pause& pause) {
  std::string error = late_classes_->begin();
  if (!error.empty()) return "ClassPrepare: " + error;
  error = klasses_->read(jni, *layout_, table_);
  table_.make_room(LateClasses::kMost);
  if (error.empty()) error = stop_and_walk(pause);
  late_classes_->end();
  return error;
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

// The program waits for the walk, so it gets what processors the program has; more than four walks
// only wait for one another at the memory.
std::size_t HeapMapper::useful_helpers() const {
  constexpr std::uint64_t kLargeHeap = std::uint64_t{64} << 20;
  jint processors = 1;
  if (total_heap_memory().value_or(0) < kLargeHeap ||
      jvmti_->GetAvailableProcessors(&processors) != JVMTI_ERROR_NONE) {
    return 0;
  }
  return static_cast<std::size_t>(std::clamp(processors, 1, 4) - 1);
}

// A log has room for the smallest objects all over the heap, since a lane may get all of them; its
// pages are there, as many as it is likely to need, before the program is stopped.
bool HeapMapper::reserve_logs(HeapMap& map, std::size_t threads, std::size_t spaces) const {
  const std::uint64_t committed = total_heap_memory().value_or(layout_->reserved_bytes);
  const std::uint64_t heap = std::min(layout_->reserved_bytes, committed + committed / 4 + kGrowth);
  const std::uint64_t least_object = layout_->objects.min_object_bytes();
  const std::size_t logs = threads * HeapWalk::kLogs;
  const std::size_t expected = last_log_bytes_ != 0
                                   ? last_log_bytes_ + last_log_bytes_ / 8
                                   : used_heap_memory().value_or(0) / kUsualObject * kUsualEntry;
  for (std::size_t i = 0; i < logs; ++i) {
    auto log = RunLog::reserve(heap / least_object * 2 + spaces * kLogBytesPerSpace);
    if (!log) return false;
    log->populate(expected / logs);
    map.logs.push_back(std::move(*log));
  }
  return true;
}

std::string HeapMapper::stop_by_following(Pause& pause) {
  pause.open_buffers = open_buffers_ ? &*open_buffers_ : nullptr;
  std::string problem = run_in_pause_at_tagged(jvmti_, [&pause] { pause.run(); });
  pause.open_buffers = nullptr;
  return problem;
}

std::string HeapMapper::stop_by_iterating(Pause& pause) {
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_iteration_callback = Pause::on_object;
  jvmtiError error =
      jvmti_->IterateThroughHeap(JVMTI_HEAP_FILTER_UNTAGGED, marked_class_, &callbacks, &pause);
  if (error == JVMTI_ERROR_NONE && !pause.called) {
    error = jvmti_->IterateThroughHeap(0, nullptr, &callbacks, &pause);
  }
  if (error != JVMTI_ERROR_NONE)
    return std::string("IterateThroughHeap: ") + jvmti_error_name(error);
  return pause.called ? "" : "the VM found no object";
}

std::string HeapMapper::stop_and_walk(Pause& pause) {
  log_debug("heap map: the VM is stopped by {}",
            stop_by_following_ ? "FollowReferences" : "IterateThroughHeap");
  pause.map.when = std::chrono::system_clock::now();
  const auto begin = now_of(CLOCK_MONOTONIC);
  std::string problem;
  if (stop_by_following_) problem = stop_by_following(pause);
  if (!pause.called) problem = stop_by_iterating(pause);
  pause.map.pause_time = now_of(CLOCK_MONOTONIC) - begin;
  return problem.empty() ? "" : "stopping the VM: " + problem;
}

bool HeapMapper::has_new_classes(JNIEnv* jni, const std::deque<HeapWalk>& walks) {
  if (!klasses_->read(jni, *layout_, table_).empty()) return false;
  return std::any_of(walks.begin(), walks.end(), [this](const HeapWalk& walk) {
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
    for (const MemoryRange& range : ranges) {
      if (range.begin <= begin && begin + area.bytes <= range.end) return true;
    }
    return false;
  };
  // Those that the kernel has back; then, since G1 gives the highest back first and takes a while
  // over it, the highest ones.
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
