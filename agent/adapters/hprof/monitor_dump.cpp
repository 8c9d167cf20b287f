#include "adapters/hprof/monitor_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "core/class_names.h"
#include "core/jvm_text.h"
#include "core/log.h"
#include "report/hprof/hprof_text.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/own_threads.h"
#include "vm/thread_fields.h"
#include "vm/thread_list.h"

namespace ddm {
namespace {

std::string status_of(jint state) {
  const auto has = [state](jint flag) { return (state & flag) != 0; };
  std::string flags;
  if (has(JVMTI_THREAD_STATE_SUSPENDED)) flags += "S|";
  if (has(JVMTI_THREAD_STATE_INTERRUPTED)) flags += "intr|";
  // A thread about to wait is in native code during the agent's callback, which is not the
  // program's code.
  constexpr jint kAboutToWait =
      JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_IN_OBJECT_WAIT;
  if (has(JVMTI_THREAD_STATE_IN_NATIVE) && !has(kAboutToWait)) flags += "native|";
  if (!has(JVMTI_THREAD_STATE_ALIVE))
    return flags + (has(JVMTI_THREAD_STATE_TERMINATED) ? "ZO" : "NS");
  if (has(JVMTI_THREAD_STATE_SLEEPING)) return flags + "SL";
  if (has(JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)) return flags + "MW";
  if (has(JVMTI_THREAD_STATE_WAITING)) return flags + "CW";
  return flags + (has(JVMTI_THREAD_STATE_RUNNABLE) ? "R" : "UN");
}

struct MonitorDump {
  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  const StackNaming& naming_;
  const HprofView& view_;
  HprofNumbers& numbers_;
  const ThreadFields& fields_;
  ReportNames names_{&naming_.names};
  std::map<jint, std::vector<jobject>>
      monitors_{};  // by hash; local references of the dump's frame
  std::string traces_{}, threads_{}, told_{};

  std::string write() {
    for (const jthread thread : all_threads(jvmti_, jni_)) {
      const std::int64_t id = fields_.id(jni_, thread);
      if (is_own_thread(id)) continue;
      tell_thread(thread, id);
      find_monitors(thread);
    }
    for (const auto& [hash, same] : monitors_) {
      for (const jobject monitor : same) tell_monitor(monitor);
    }
    return traces_ + "MONITOR DUMP BEGIN\n" + threads_ + told_ + "MONITOR DUMP END\n";
  }

  void tell_thread(jthread thread, std::int64_t id) {
    jint state = 0;
    if (jvmti_->GetThreadState(thread, &state) != JVMTI_ERROR_NONE) return;
    const std::vector<HprofFrame> stack = stack_of(thread);
    hprof_text_trace(stack, 0, names_, numbers_, traces_);
    fmt::format_to(std::back_inserter(threads_), "    THREAD {}, trace {}, status: {}\n",
                   HprofNumbers::thread(id), numbers_.trace(stack).value, status_of(state));
  }

  std::vector<HprofFrame> stack_of(jthread thread) {
    const Reclamation::Reading reading;
    ShownStack stack(TopFrames::kTracker, kMaxDepth);
    if (naming_.stack_of(jvmti_, jni_, thread, stack) != JVMTI_ERROR_NONE) return {};
    return hprof_stack(stack.frames(), names_, view_);
  }

  // Each object once, whatever thread owns it.
  void find_monitors(jthread thread) {
    LocalRef<jobject> wanted(jni_, nullptr);
    if (jvmti_->GetCurrentContendedMonitor(thread, wanted.out()) == JVMTI_ERROR_NONE && wanted) {
      add(wanted.get());
    }
    jint count = 0;
    JvmtiPtr<jobject> owned(jvmti_);
    if (jvmti_->GetOwnedMonitorInfo(thread, &count, owned.out()) != JVMTI_ERROR_NONE) return;
    for (jint i = 0; i < count; ++i) {
      const LocalRef<jobject> monitor(jni_, owned[i]);
      add(monitor.get());
    }
  }

  void add(jobject monitor) {
    jint hash = 0;
    if (jvmti_->GetObjectHashCode(monitor, &hash) != JVMTI_ERROR_NONE) return;
    std::vector<jobject>& same = monitors_[hash];
    for (const jobject known : same) {
      if (jni_->IsSameObject(known, monitor)) return;
    }
    if (const jobject kept = jni_->NewLocalRef(monitor)) same.push_back(kept);
  }

  void tell_monitor(jobject monitor) {
    jvmtiMonitorUsage usage{};
    if (jvmti_->GetObjectMonitorUsage(monitor, &usage) != JVMTI_ERROR_NONE) return;
    JvmtiPtr<jthread> waiters(jvmti_), to_be_notified(jvmti_);
    *waiters.out() = usage.waiters;
    *to_be_notified.out() = usage.notify_waiters;
    const LocalRef<jthread> owner(jni_, usage.owner);
    const auto to = std::back_inserter(told_);
    fmt::format_to(to, "    MONITOR {}\n", class_of(monitor));
    if (owner) {
      fmt::format_to(to, "\towner: thread {}, entry count: {}\n", number_of(owner.get()),
                     usage.entry_count);
    } else {
      told_ += "\tunowned\n";
    }
    std::vector<std::uint32_t> entering = numbers_of(usage.waiters, usage.waiter_count);
    const std::vector<std::uint32_t> waiting =
        numbers_of(usage.notify_waiters, usage.notify_waiter_count);
    // Before JDK 23 the former have the latter among them (JDK-8247972).
    std::erase_if(entering, [&](auto one) { return std::ranges::count(waiting, one) != 0; });
    list("waiting to enter", entering);
    list("waiting to be notified", waiting);
  }

  // The VM leaves places of threads empty that have gone on meanwhile.
  std::vector<std::uint32_t> numbers_of(const jthread* threads, jint count) const {
    std::vector<std::uint32_t> numbers;
    for (jint i = 0; i < count; ++i) {
      const LocalRef<jthread> thread(jni_, threads[i]);
      if (thread) numbers.push_back(number_of(thread.get()));
    }
    return numbers;
  }

  void list(std::string_view what, const std::vector<std::uint32_t>& threads) {
    if (threads.empty()) return;
    fmt::format_to(std::back_inserter(told_), "\t{}: thread {}\n", what,
                   fmt::join(threads, ", thread "));
  }

  std::uint32_t number_of(jthread thread) const {
    return HprofNumbers::thread(fields_.id(jni_, thread));
  }

  std::string class_of(jobject object) const {
    const LocalRef<jclass> type(jni_, jni_->GetObjectClass(object));
    const ClassSignature signature(jvmti_, type.get());
    return signature ? printable(type_name_of(text_of(signature))) : "unknown";
  }
};

}  // namespace

void add_monitor_capabilities(jvmtiEnv* jvmti) {
  jvmtiCapabilities potential{}, wanted{};
  if (jvmti->GetPotentialCapabilities(&potential) != JVMTI_ERROR_NONE) return;
  wanted.can_get_monitor_info = potential.can_get_monitor_info;
  wanted.can_get_owned_monitor_info = potential.can_get_owned_monitor_info;
  wanted.can_get_current_contended_monitor = potential.can_get_current_contended_monitor;
  const jvmtiError error = jvmti->AddCapabilities(&wanted);
  if (error != JVMTI_ERROR_NONE)
    log_warn("monitor=y: AddCapabilities: {}", jvmti_error_name(error));
}

std::string hprof_monitor_dump(jvmtiEnv* jvmti, JNIEnv* jni, const StackNaming& naming,
                               const HprofView& view, HprofNumbers& numbers) {
  const auto fields = ThreadFields::find(jvmti, jni);
  const LocalFrame frame(jni, 64);
  if (!fields || !frame.good()) return "";
  return MonitorDump{jvmti, jni, naming, view, numbers, *fields}.write();
}

}  // namespace ddm
