#include "adapters/hprof/hprof_threads.h"

#include <utility>

#include "vm/jvmti_memory.h"
#include "vm/own_threads.h"
#include "vm/thread_fields.h"
#include "vm/thread_list.h"

namespace ddm {

HprofThreads::HprofThreads(jvmtiEnv* jvmti, JNIEnv* jni)
    : jvmti_(jvmti), id_field_(thread_field(jni, "tid", "J")) {}

void HprofThreads::list(JNIEnv* jni) {
  const LocalFrame frame(jni, 64);
  if (!frame.good()) return;
  for (const jthread thread : all_threads(jvmti_, jni)) started(jni, thread);
}

std::optional<HprofThreadEvent> HprofThreads::start_of(JNIEnv* jni, jthread thread) const {
  if (id_field_ == nullptr) return std::nullopt;
  HprofThreadEvent event;
  event.id = jni->GetLongField(thread, id_field_);
  event.start = true;
  jvmtiThreadInfo info{};
  if (is_own_thread(event.id) || jvmti_->GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE) {
    return std::nullopt;
  }
  const LocalRef<jobject> group(jni, info.thread_group), loader(jni, info.context_class_loader);
  JvmtiPtr<char> name(jvmti_);
  *name.out() = info.name;
  event.name = text_of(name);
  jvmtiThreadGroupInfo group_info{};
  if (group && jvmti_->GetThreadGroupInfo(info.thread_group, &group_info) == JVMTI_ERROR_NONE) {
    const LocalRef<jobject> parent(jni, group_info.parent);
    JvmtiPtr<char> group_name(jvmti_);
    *group_name.out() = group_info.name;
    event.group = text_of(group_name);
  }
  return event;
}

void HprofThreads::started(JNIEnv* jni, jthread thread) {
  auto event = start_of(jni, thread);
  if (!event) return;
  const std::lock_guard lock(mutex_);
  if (events_.size() >= kMostEvents || !running_.insert(event->id).second) return;
  events_.push_back(std::move(*event));
}

void HprofThreads::ended(JNIEnv* jni, jthread thread) {
  if (id_field_ == nullptr) return;
  HprofThreadEvent event;
  event.id = jni->GetLongField(thread, id_field_);
  const std::lock_guard lock(mutex_);
  if (running_.erase(event.id) != 0) events_.push_back(std::move(event));
}

std::vector<HprofThreadEvent> HprofThreads::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

}  // namespace ddm
