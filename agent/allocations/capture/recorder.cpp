#include "allocations/capture/recorder.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "core/clocks.h"
#include "vm/own_threads.h"

namespace ddm {
namespace {

constexpr std::array kDropTexts = {"no class", "out of memory", "ring busy"};
static_assert(kDropTexts.size() == static_cast<std::size_t>(DropReason::kCount));

}  // namespace

void Recorder::record(JNIEnv* jni, jobject object, const Known& known, TopFrames top,
                      double weight) noexcept {
  if ((object == nullptr && known.klass == nullptr) || closed_ || on_own_thread()) return;
  std::int64_t size = known.size;
  const bool added = add(jni, object, known, top, weight, size);
  // Outside of the Reading, since the program's listener may take long.
  if (added && listener_.on()) [[unlikely]]
    listener_.allocated(jni, object, size, top == TopFrames::kConstructors);
}

bool Recorder::add(JNIEnv* jni, jobject object, const Known& known, TopFrames top, double weight,
                   std::int64_t& size) noexcept {
  const Reclamation::Reading reading;  // of drop(), too
  try {
    if (!open_) return false;
    const ObjectFacts::Facts facts = objects_.of(jni, object, known.klass, known.size);
    size = facts.size;
    const ThreadBooks::Number book = books_.current_book(jni, size);
    if (facts.class_id == kUnknownName) {
      drop(DropReason::kNoClass, size, weight);
      return false;
    }
    AllocRing* const ring = ring_.get();
    ring->prefetch_next();
    Sites* const sites = books_.sites();
    const std::uint32_t depth = sites != nullptr ? sites->traces().depth() : 0;
    // One frame more than is kept shows whether the stack was cut. Empty where the VM allocates
    // outside Java code (when a thread attaches, for example).
    const std::size_t ring_frames = ring->depth() + std::size_t{1};
    ShownStack stack(top, std::max(ring_frames, depth + std::size_t{1}));
    const bool per_thread = per_thread_sites_.load(std::memory_order_relaxed);
    if (sites != nullptr && !per_thread) stack.look_up_in(sites->traces());
    AllocRecord record;
    // Before the capture, whose result is invalidated by another allocation of this thread.
    record.thread_id = thread_.id(jni, known.thread);
    stacks().capture(jni, stack);
    if (stack.by_agent()) [[unlikely]] {
      books_.leave_out(size);
      return false;
    }
    record.time_ms = coarse_epoch_ms();
    record.size = size;
    record.weight = static_cast<float>(weight);
    record.book = book;
    record.class_id = facts.class_id;
    if (sites != nullptr) record.trace = trace_of(*sites, stack, record.thread_id, per_thread);
    std::uint64_t seq = 0;
    books_.begin_record();
    if (sites != nullptr && !per_thread && ring->finds(sites->traces(), record.trace)) {
      record.tree = sites->traces().id();
      seq = ring->push_numbered(record, stack.size());
    } else {
      seq = ring->push(record, stack.innermost(std::min(stack.size(), ring_frames)));
    }
    if (seq == 0) {
      drop(DropReason::kRingBusy, size, weight);
      return true;  // counted, but not among the recent records
    }
    const LiveObjects::Mark mark = live_.follow(jni, object, record.time_ms, seq);
    // Tracking has begun anew while this thread was suspended here, with another tree.
    if (books_.sites() != sites) [[unlikely]]
      record.trace = kNoTrace;
    const SiteEntry one{record.class_id, record.trace, size,   weight,
                        mark.handle,     mark.born,    mark.gc};
    books_.count_recorded(one, seq);
    if (scopes_.any()) [[unlikely]]
      scopes_.count(record.thread_id, one);
    return true;
  } catch (const std::exception&) {  // bad_alloc in the name tables
    drop(DropReason::kOutOfMemory, size, weight);
    return false;
  }
}

void Recorder::thread_made(JNIEnv* jni, jobject thread) noexcept {
  if (thread == nullptr || !scopes_.any() || closed_ || on_own_thread()) return;
  try {
    const Reclamation::Reading reading;
    const std::int64_t maker = thread_.id(jni, nullptr);
    if (!open_ || !scopes_.needs_stack(maker)) return;
    // Before the capture, as above.
    const NameId class_id = objects_.of(jni, thread, nullptr, 0).class_id;
    const std::int64_t made = thread_.id_of(jni, thread);
    ShownStack stack(TopFrames::kTracker, ShownStack::kMostFrames);
    stacks().capture(jni, stack);
    scopes_.thread_made(maker, made, scopes_.is_virtual(class_id), stack.frames());
  } catch (const std::exception&) {  // no memory: the new thread is in no scope
  }
}

ScopeNumber Recorder::begin_scope(JNIEnv* jni, ScopeRoot root, std::shared_ptr<Sites> sites) {
  const Reclamation::Reading reading;
  const std::int64_t owner = thread_.id(jni, nullptr);
  ShownStack stack(TopFrames::kTracker, ShownStack::kMostFrames);
  if (open_) stacks().capture(jni, stack);
  return scopes_.begin(owner, std::move(root), std::move(sites), stack.frames());
}

TraceNumber Recorder::trace_of(Sites& sites, ShownStack& stack, std::int64_t thread,
                               bool per_thread) {
  if (stack.number() != kNoTrace) [[likely]]
    return stack.number();
  if (!per_thread) return sites.traces().number_of(stack.frames());
  const std::span<const Frame> frames = stack.frames();
  std::array<Frame, ShownStack::kMostFrames + 1> marked;
  marked[0] = thread_frame(thread);
  std::ranges::copy(frames, marked.begin() + 1);
  return sites.traces().number_of({marked.data(), frames.size() + 1});
}

bool Recorder::pause(std::chrono::milliseconds patience) {
  shut();
  return reclamation_.wait_for_readers(patience);
}

void Recorder::drop(DropReason reason, std::int64_t size, double weight) {
  dropped_[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  books_.dropped({kUnknownName, kNoTrace, size, weight});
}

std::map<std::string, std::int64_t> Recorder::dropped() const {
  std::map<std::string, std::int64_t> result;
  for (std::size_t i = 0; i < dropped_.size(); ++i) {
    const std::int64_t n = dropped_[i].load(std::memory_order_relaxed);
    if (n > 0) result[kDropTexts[i]] = n;
  }
  return result;
}

}  // namespace ddm
