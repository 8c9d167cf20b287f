#include "allocations/capture/current_thread.h"

#include "core/own_memory.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_structs.h"

namespace ddm {

constinit thread_local CurrentThread::Noted CurrentThread::t_noted;

CurrentThread::CurrentThread(jvmtiEnv* jvmti, JNIEnv* jni, jobject current,
                             jfieldID thread_id_field, ThreadNames& names)
    : jvmti_(jvmti),
      thread_id_field_(thread_id_field),
      names_(names),
      threads_(VmThreads::create(jni, current)) {
  const auto offset = vm_structs::offset_of("JavaThread", "_monitor_owner_id");
  if (threads_ && offset) {
    word_offset_ = static_cast<std::uintptr_t>(*offset);
    std::int64_t word = 0;
    by_word_ = read_own_memory(threads_->of(jni) + word_offset_, &word, sizeof word) &&
               word == jni->GetLongField(current, thread_id_field);
  }
  never_changes_ = jni->GetVersion() <= JNI_VERSION_10;  // before 19
}

std::int64_t CurrentThread::ask(JNIEnv* jni, jthread thread) {
  LocalRef<jthread> asked(jni, nullptr);
  if (thread == nullptr) {
    if (jvmti_->GetCurrentThread(asked.out()) != JVMTI_ERROR_NONE || !asked) return 0;
    thread = asked.get();
  }
  const std::int64_t id = jni->GetLongField(thread, thread_id_field_);
  const std::uint32_t times_forgotten = names_.times_forgotten();
  names_.note(jni, thread, id);
  t_noted = {id, times_forgotten};
  return id;
}

}  // namespace ddm
