#include "heap/heap_iteration.h"

#include "heap/committed_memory.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_flags.h"

namespace ddm {
namespace {

constexpr std::uint64_t kGuessedHeap = std::uint64_t{4} << 30;

// Classes are tagged with the state of their objects + 1.
struct TaggedClass {
  const char* name;
  std::uint8_t state;
};
constexpr TaggedClass kTaggedClasses[] = {
    {"java/lang/Class", heap_state(Solidity::kHard, HeapKind::kClass)},
    {"[Z", heap_state(Solidity::kHard, HeapKind::kArray1)},
    {"[B", heap_state(Solidity::kHard, HeapKind::kArray1)},
    {"[C", heap_state(Solidity::kHard, HeapKind::kArray2)},
    {"[S", heap_state(Solidity::kHard, HeapKind::kArray2)},
    {"[I", heap_state(Solidity::kHard, HeapKind::kArray4)},
    {"[F", heap_state(Solidity::kHard, HeapKind::kArray4)},
    {"[J", heap_state(Solidity::kHard, HeapKind::kArray8)},
    {"[D", heap_state(Solidity::kHard, HeapKind::kArray8)},
    {"jdk/internal/vm/FillerObject", kFreeState},
};

struct Iteration {
  RunLog& log;
  std::uint8_t reference_array;
  std::uint64_t bytes = 0;

  static jint JNICALL on_object(jlong class_tag, jlong size, jlong*, jint length, void* self) {
    auto& iteration = *static_cast<Iteration*>(self);
    const std::uint8_t state = class_tag != 0 ? static_cast<std::uint8_t>(class_tag - 1)
                               : length >= 0  ? iteration.reference_array
                                              : heap_state(Solidity::kHard, HeapKind::kObject);
    iteration.log.add(state, static_cast<std::uint64_t>(size));
    iteration.bytes += static_cast<std::uint64_t>(size);
    return JVMTI_VISIT_OBJECTS;
  }
};

std::string tag_classes(jvmtiEnv* jvmti, JNIEnv* jni) {
  for (const TaggedClass& tagged : kTaggedClasses) {
    const LocalRef<jclass> found(jni, jni->FindClass(tagged.name));
    if (clear_exception(jni) || !found) continue;  // no fillers before JDK 19
    const jvmtiError error = jvmti->SetTag(found.get(), tagged.state + 1);
    if (error != JVMTI_ERROR_NONE) return std::string("SetTag: ") + jvmti_error_name(error);
  }
  return "";
}

}  // namespace

Result<HeapMap> iterate_heap(jvmtiEnv* jvmti, JNIEnv* jni) {
  const std::string tagged = tag_classes(jvmti, jni);
  if (!tagged.empty()) return Error{tagged};
  auto log = RunLog::reserve(max_heap_memory().value_or(kGuessedHeap) / 8);
  if (!log) return Error{"no address space for a map"};
  HeapMap map;
  map.true_addresses = false;
  map.logs.push_back(std::move(*log));
  const bool narrow = vm_flags::boolean("UseCompressedOops").value_or(false);
  Iteration iteration{map.logs[0],
                      heap_state(Solidity::kHard, narrow ? HeapKind::kArray4 : HeapKind::kArray8)};
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_iteration_callback = Iteration::on_object;
  const auto begin = std::chrono::steady_clock::now();
  const jvmtiError error = jvmti->IterateThroughHeap(0, nullptr, &callbacks, &iteration);
  map.walk_cpu = map.walk_time = map.pause_time = std::chrono::steady_clock::now() - begin;
  if (error != JVMTI_ERROR_NONE) {
    return Error{std::string("IterateThroughHeap: ") + jvmti_error_name(error)};
  }
  if (map.full()) return Error{"no memory for a map of so many objects"};
  const std::uint64_t total = total_heap_memory().value_or(0);
  if (total > iteration.bytes) {
    map.logs[0].add(kFreeState, total - iteration.bytes);
    iteration.bytes = total;
  }
  map.logs[0].trim();
  map.areas.push_back({0, iteration.bytes, 0, 0, false});
  return map;
}

}  // namespace ddm
