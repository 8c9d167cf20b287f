#include "time/monitor_times.h"

#include <algorithm>
#include <exception>
#include <functional>

#include "core/class_names.h"
#include "core/clocks.h"
#include "core/log.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/own_threads.h"
#include "vm/thread_fields.h"

namespace ddm {
namespace {

constexpr jvmtiEvent kMonitorEvents[] = {JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                         JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
                                         JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED};

jvmtiError switch_monitor_events(jvmtiEnv* jvmti, jvmtiEventMode mode) {
  for (const jvmtiEvent event : kMonitorEvents) {
    const jvmtiError error = jvmti->SetEventNotificationMode(mode, event, nullptr);
    if (error != JVMTI_ERROR_NONE) return error;
  }
  return JVMTI_ERROR_NONE;
}

}  // namespace

std::string MonitorTimes::start(jvmtiEnv* jvmti, JNIEnv* jni, const StackNaming& naming) {
  const std::lock_guard switching(switching_);
  if (on_) return "";
  jvmti_ = jvmti;
  if (!naming_) naming_.emplace(naming);  // a thread may still be inside an event callback
  thread_id_field_ = thread_field(jni, "tid", "J");
  blocker_field_ = thread_field(jni, "parkBlocker", "Ljava/lang/Object;");
  if (thread_id_field_ == nullptr || blocker_field_ == nullptr) {
    return "java.lang.Thread is not as expected";
  }
  {
    const std::lock_guard lock(mutex_);
    if (!traces_) traces_ = CallTree::create(kTraces, kMaxTreeDepth);
    if (!traces_) return "no memory for stacks";
    incomplete_.clear();
    has_results_ = true;
    span_.begin();
  }
  totals_.clear();
  holders_.start(jvmti, jni, naming, *traces_);
  for (Part& part : parts_) {
    const std::lock_guard part_lock(part.mutex);
    part.begun.clear();
  }
  for (const jvmtiEvent event : kMonitorEvents) listen_to(event, *this);
  jvmtiCapabilities needed{};
  needed.can_generate_monitor_events = 1;
  jvmtiError error = jvmti->AddCapabilities(&needed);
  on_ = true;
  if (error == JVMTI_ERROR_NONE) error = switch_monitor_events(jvmti, JVMTI_ENABLE);
  if (error == JVMTI_ERROR_NONE) {
    const std::string parks = parks_.start(jni, *this);
    if (!parks.empty()) {
      const std::lock_guard lock(mutex_);
      incomplete_ = "waits for the locks of java.util.concurrent are not timed: " + parks;
      log_error("monitor=y: {}", incomplete_);
    }
    return "";
  }
  on_ = false;
  switch_monitor_events(jvmti, JVMTI_DISABLE);
  return std::string("this VM gives no events of monitors: ") + jvmti_error_name(error);
}

std::string MonitorTimes::stop(jvmtiEnv* jvmti) {
  const std::lock_guard switching(switching_);
  if (!on_) return "";
  on_ = false;
  {
    const std::lock_guard lock(mutex_);
    span_.end();
  }
  const std::string parks = parks_.stop();
  const jvmtiError error = switch_monitor_events(jvmti, JVMTI_DISABLE);
  if (error == JVMTI_ERROR_NONE) return parks;
  return std::string("the events of monitors stay on: ") + jvmti_error_name(error);
}

void MonitorTimes::discard() {
  const std::lock_guard switching(switching_);
  const std::lock_guard lock(mutex_);
  if (on_) return;
  totals_.clear();
  incomplete_.clear();
  has_results_ = false;
}

void MonitorTimes::forget() {
  const std::lock_guard lock(mutex_);
  totals_.clear();
  if (on_) span_.begin();
}

void MonitorTimes::vm_halts() {
  if (on_) switch_monitor_events(jvmti_, JVMTI_DISABLE);
}

bool MonitorTimes::wanted() const { return on_ && !closed_ && !on_own_thread(); }

void MonitorTimes::begins(JNIEnv* jni, MonitorKind kind, jthread thread, jobject object) noexcept {
  if (!wanted()) return;
  try {
    Begun begun;
    begun.at_ns = monotonic_ns();  // the time from here on is part of the wait, also for waiters
    if (kind == MonitorKind::kEnter) begun.holder = holders_.of_monitor(jni, object);
    if (kind == MonitorKind::kPark || kind == MonitorKind::kPin) {
      begun.holder = holders_.of_lock(jni, object);
    }
    // Keeps names valid until they are reachable from `begun`, where add_names() finds them.
    const Reclamation::Reading reading;
    const std::int64_t thread_id = jni->GetLongField(thread, thread_id_field_);
    begun.class_id = class_id_of(jni, object);
    ShownStack stack(TopFrames::kTracker, kMaxTreeDepth + 1);
    naming_->stacks.capture(jni, stack);
    begun.trace = traces_->number_of(stack.frames());
    Part& part = part_of(thread_id);
    const std::lock_guard lock(part.mutex);
    part.begun[thread_id][static_cast<std::size_t>(kind)] = begun;
  } catch (const std::exception&) {
    // No memory: this wait is not counted.
  }
}

void MonitorTimes::ends(JNIEnv* jni, MonitorKind kind, jthread thread) noexcept {
  if (!wanted()) return;
  const std::int64_t now = monotonic_ns();
  try {
    const std::int64_t thread_id = jni->GetLongField(thread, thread_id_field_);
    if (kind == MonitorKind::kEnter) holders_.acquired(jni, thread, thread_id);
    Part& part = part_of(thread_id);
    const std::lock_guard lock(part.mutex);
    const auto at = part.begun.find(thread_id);
    if (at == part.begun.end()) return;  // the wait began before the events were enabled
    Begun& begun = at->second[static_cast<std::size_t>(kind)];
    if (begun.at_ns == 0) return;
    totals_.add(kind, begun.class_id, begun.trace, now - begun.at_ns, begun.holder);
    begun.at_ns = 0;
    const bool waiting =
        std::ranges::any_of(at->second, [](const Begun& other) { return other.at_ns != 0; });
    if (!waiting) part.begun.erase(at);
  } catch (const std::exception&) {
    // No memory: this wait is not counted.
  }
}

void MonitorTimes::parks(JNIEnv* jni, bool pinned, bool begin) noexcept {
  if (!wanted()) return;
  LocalRef<jthread> thread(jni, nullptr);
  if (jvmti_->GetCurrentThread(thread.out()) != JVMTI_ERROR_NONE || !thread) return;
  const MonitorKind kind = pinned ? MonitorKind::kPin : MonitorKind::kPark;
  if (!begin) return ends(jni, kind, thread.get());
  const LocalRef<jobject> blocker(jni, jni->GetObjectField(thread.get(), blocker_field_));
  begins(jni, kind, thread.get(), blocker.get());
}

// Object.wait() of a thread that does not own the monitor begins a wait that never ends.
void MonitorTimes::thread_ended(JNIEnv* jni, jthread thread) {
  if (!on_ || closed_) return;
  const std::int64_t thread_id = jni->GetLongField(thread, thread_id_field_);
  Part& part = part_of(thread_id);
  const std::lock_guard lock(part.mutex);
  part.begun.erase(thread_id);
}

NameId MonitorTimes::class_id_of(JNIEnv* jni, jobject object) const {
  if (object == nullptr) return kUnknownName;
  const LocalRef<jclass> klass(jni, jni->GetObjectClass(object));
  const ClassSignature signature(jvmti_, klass.get());
  if (!signature) return kUnknownName;
  std::string name = type_name_of(text_of(signature));
  if (name == kClassObject) {  // a static synchronized method, or synchronized (A.class)
    const ClassSignature locked(jvmti_, static_cast<jclass>(object));
    if (locked) name = class_object_name(type_name_of(text_of(locked)));
  }
  return naming_->names.add_class(name);
}

// Longest first. A pinned thread is parked as well, which counts as one wait.
std::vector<OngoingWait> MonitorTimes::waiting() const {
  std::vector<OngoingWait> result;
  const std::int64_t now = monotonic_ns();
  std::array<Frame, kMaxTreeDepth> buffer;
  for (const Part& part : parts_) {
    const std::lock_guard part_lock(part.mutex);
    for (const auto& [thread, kinds] : part.begun) {
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        const Begun& begun = kinds[kind];
        if (begun.at_ns == 0 || static_cast<MonitorKind>(kind) == MonitorKind::kPin) continue;
        const std::size_t depth = traces_->read(begun.trace, buffer);
        result.push_back({static_cast<MonitorKind>(kind),
                          begun.class_id,
                          thread,
                          "",
                          now - begun.at_ns,
                          totals_.holder_name(begun.holder.thread),
                          {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(depth)},
                          traces_->cut(begun.trace)});
      }
    }
  }
  std::ranges::stable_sort(result, std::greater(), &OngoingWait::ns);
  return result;
}

void MonitorTimes::add_to(TimeData& data) {
  const std::lock_guard lock(mutex_);
  if (!has_results_) return;
  data.monitor_on = on_;
  data.locks_ns = span_.ns();
  if (!incomplete_.empty()) data.incomplete = incomplete_;
  for (MonitorTime& monitor : totals_.read(*traces_)) data.monitors.push_back(std::move(monitor));
  if (on_) data.waiting = waiting();
}

void MonitorTimes::add_names(NamesInUse& used) {
  const std::lock_guard lock(mutex_);
  if (!traces_) return;
  traces_->add_names(used);
  // Before the totals, to which the class of a wait that ends meanwhile moves.
  for (Part& part : parts_) {
    const std::lock_guard part_lock(part.mutex);
    for (const auto& [thread, kinds] : part.begun) {
      for (const Begun& begun : kinds) used.classes.insert(begun.class_id);
    }
  }
  totals_.add_names(used);
}

}  // namespace ddm
