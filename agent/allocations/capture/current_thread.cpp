#include "allocations/capture/current_thread.h"

#include "core/own_memory.h"
#include "vm/claims_between_pauses.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_structs.h"

namespace ddm {

constinit thread_local CurrentThread::Cached CurrentThread::t_cached;

CurrentThread::CurrentThread(jvmtiEnv* jvmti, JNIEnv* jni, jobject current,
                             jfieldID thread_id_field, ThreadNames& names)
    : jvmti_(jvmti),
      thread_id_field_(thread_id_field),
      names_(names),
      threads_(VmThreads::create(jni, current)) {
  const auto offset = vm_structs::offset_of("JavaThread", "_monitor_owner_id");
  if (threads_ && offset) {
    word_offset_ = static_cast<std::uintptr_t>(*offset);
    by_word_ = read_own<std::int64_t>(threads_->of(jni) + word_offset_) ==
               jni->GetLongField(current, thread_id_field);
  }
  never_changes_ = jni->GetVersion() <= JNI_VERSION_10;  // before 19
  if (!by_word_ && !never_changes_) handles_offset_ = find_handles(jni);
}

// vmStructs does not export _vthread. The field is between two exported ones, and on a platform
// thread it refers to the same object as _threadObj.
std::uintptr_t CurrentThread::find_handles(JNIEnv* jni) const {
  const auto before = vm_structs::offset_of("JavaThread", "_threadObj");
  const auto after = vm_structs::offset_of("JavaThread", "_jvmti_vthread");
  if (!threads_ || !before || !after || *after != *before + 2 * std::int64_t{sizeof(jobject)}) {
    return 0;
  }
  const auto offset = static_cast<std::uintptr_t>(*before);
  const std::uintptr_t at = threads_->of(jni) + offset;
  const std::string wrong = wrong_between_pauses(jni, [&](VmClaims& claims) {
    const auto platform = claims.read<std::uintptr_t>(at, "JavaThread::_threadObj");
    const auto current = claims.read<std::uintptr_t>(at + sizeof(jobject), "JavaThread::_vthread");
    if (!claims.hold()) return;
    const auto object = claims.read<std::uintptr_t>(platform, "JavaThread::_threadObj");
    const bool same = object == claims.read<std::uintptr_t>(current, "JavaThread::_vthread");
    claims.expect(platform != current && object != 0 && same, "JavaThread::_vthread");
  });
  return wrong.empty() ? offset : 0;
}

std::int64_t CurrentThread::query(JNIEnv* jni, jthread thread) {
  LocalRef<jthread> asked(jni, nullptr);
  if (thread == nullptr) {
    if (jvmti_->GetCurrentThread(asked.out()) != JVMTI_ERROR_NONE || !asked) return 0;
    thread = asked.get();
  }
  const std::int64_t id = jni->GetLongField(thread, thread_id_field_);
  // During a mount, JVMTI and _vthread may give different threads; the eetop of a virtual thread is
  // 0.
  const bool platform =
      never_changes_ || (threads_ && threads_->of(jni, thread) == threads_->of(jni));
  const std::uint32_t generation = names_.generation();
  names_.note(jni, thread, id);
  t_cached = {id, generation, platform};
  return id;
}

}  // namespace ddm
