#include "track/recorder.h"

#include <time.h>

#include <exception>

#include "jvm/jvmti_memory.h"

namespace ddm {
namespace {

// Captured beyond what is kept, since hidden frames and constructors are taken out: enough for
// nearly all stacks, then for a second try.
constexpr std::size_t kFewUnshownFrames = 7;
constexpr std::size_t kManyUnshownFrames = 64;

std::int64_t wall_clock_ms() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);  // 4 ms steps, read without a system call
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

const char* text_of(DropReason reason) {
  switch (reason) {
    case DropReason::kNoClass:
      return "no class";
    case DropReason::kOutOfMemory:
      return "out of memory";
    case DropReason::kCount:
      break;
  }
  return "";
}

// Whether a frame above all shown ones belongs to the allocation itself.
bool is_part_of_allocation(const SeenMethod& method, jlocation location, TopFrames top) {
  switch (top) {
    case TopFrames::kAsTheyAre:
      return false;
    case TopFrames::kTracker:
      return method.role == MethodRole::kTracker;
    case TopFrames::kConstructors:
      return method.role == MethodRole::kTracker || method.role == MethodRole::kObjectInit ||
             method.stands_at_super_call(location);
  }
  return false;
}

}  // namespace

Recorder::Recorder(jvmtiEnv* jvmti, jfieldID thread_id_field, NameTable& names, ThreadBooks& books,
                   ThreadNames& thread_names, StackCapture& stacks,
                   const RewrittenMethods& rewritten)
    : jvmti_(jvmti),
      thread_id_field_(thread_id_field),
      books_(books),
      thread_names_(thread_names),
      stacks_(stacks),
      class_ids_(jvmti, names),
      methods_(jvmti, names, rewritten) {}

void Recorder::use_ring(std::shared_ptr<AllocRing> ring) {
  ring_ = ring.get();
  if (rings_.empty() || rings_.back() != ring) rings_.push_back(std::move(ring));
}

// Fills `frames` with what is shown of the calling thread's stack and returns how many there are.
// The VM also allocates where there is no Java frame (attaching a thread, for one): 0 is the truth.
std::size_t Recorder::walk(JNIEnv* jni, TopFrames top, std::span<Frame> frames) {
  RawFrame raw[kMaxDepth + 1 + kManyUnshownFrames];
  for (const std::size_t unshown : {kFewUnshownFrames, kManyUnshownFrames}) {
    const std::size_t wanted = frames.size() + unshown;
    const std::size_t raw_count = stacks_.capture(jni, {raw, wanted});
    std::size_t count = 0;
    bool on_top = true;
    for (std::size_t i = 0; i < raw_count && count < frames.size(); ++i) {
      const SeenMethod& method = methods_.get(jni, raw[i].method);
      if (method.role == MethodRole::kHidden) continue;
      on_top = on_top && is_part_of_allocation(method, raw[i].location, top);
      if (!on_top) frames[count++] = {method.name, method.original_bci(raw[i].location)};
    }
    if (count == frames.size() || raw_count < wanted || unshown == kManyUnshownFrames) {
      return count;
    }
  }
  return 0;
}

void Recorder::record(JNIEnv* jni, jobject object, TopFrames top) noexcept {
  if (object == nullptr || closed_) return;
  jlong size = 0;
  if (jvmti_->GetObjectSize(object, &size) != JVMTI_ERROR_NONE) return;
  const LocalRef<jclass> klass(jni, jni->GetObjectClass(object));
  LocalRef<jthread> thread(jni, nullptr);
  if (jvmti_->GetCurrentThread(thread.out()) != JVMTI_ERROR_NONE) return;
  record(jni, thread.get(), klass.get(), size, top);
}

void Recorder::record(JNIEnv* jni, jthread thread, jclass klass, std::int64_t size,
                      TopFrames top) noexcept {
  try {
    books_.saw(jni, size);
    AllocRing* ring = ring_.load(std::memory_order_acquire);
    Frame frames[kMaxDepth + 1];  // one more than is kept tells whether the stack was cut
    const std::size_t count = walk(jni, top, {frames, ring->depth() + 1});

    AllocRecord record;
    record.time_ms = wall_clock_ms();
    record.size = size;
    record.class_id = class_ids_.id_of(klass);
    if (record.class_id == kUnknownName) {
      drop(DropReason::kNoClass);
      return;
    }
    record.thread_id = thread != nullptr ? jni->GetLongField(thread, thread_id_field_) : 0;
    if (thread != nullptr) thread_names_.note(thread, record.thread_id);
    ring->push(record, {frames, count});
  } catch (const std::exception&) {  // bad_alloc from the name tables
    drop(DropReason::kOutOfMemory);
  }
}

std::map<std::string, std::int64_t> Recorder::dropped() const {
  std::map<std::string, std::int64_t> result;
  for (std::size_t i = 0; i < dropped_.size(); ++i) {
    const std::int64_t n = dropped_[i].load(std::memory_order_relaxed);
    if (n > 0) result[text_of(static_cast<DropReason>(i))] = n;
  }
  return result;
}

void Recorder::clear_dropped() {
  for (auto& n : dropped_) n = 0;
}

}  // namespace ddm
