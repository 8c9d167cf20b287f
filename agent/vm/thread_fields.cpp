#include "vm/thread_fields.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "core/own_memory.h"
#include "core/utf16.h"
#include "vm/boot_class.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

struct NameAndDaemon {
  std::string name;
  bool daemon = false;
};

NameAndDaemon ask_jvmti(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  jvmtiThreadInfo info{};
  if (jvmti->GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE) return {};
  const LocalRef<jobject> group(jni, info.thread_group);
  const LocalRef<jobject> loader(jni, info.context_class_loader);
  NameAndDaemon result{info.name != nullptr ? info.name : "", info.is_daemon == JNI_TRUE};
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(info.name));
  return result;
}

}  // namespace

jfieldID thread_field(JNIEnv* jni, const char* name, const char* signature) {
  return find_field(jni, "java/lang/Thread", name, signature);
}

std::optional<ThreadFields> ThreadFields::find(jvmtiEnv* jvmti, JNIEnv* jni) {
  ThreadFields fields(jvmti);
  fields.id_ = thread_field(jni, "tid", "J");
  if (fields.id_ == nullptr) return std::nullopt;
  fields.name_ = thread_field(jni, "name", "Ljava/lang/String;");
  fields.find_daemon(jni);
  fields.find_os_id(jni);
  return fields;
}

void ThreadFields::find_daemon(JNIEnv* jni) {
  daemon_ = thread_field(jni, "daemon", "Z");
  if (daemon_ != nullptr) return;
  holder_ = thread_field(jni, "holder", "Ljava/lang/Thread$FieldHolder;");
  if (holder_ == nullptr) return;
  daemon_ = find_field(jni, "java/lang/Thread$FieldHolder", "daemon", "Z");
}

void ThreadFields::find_os_id(JNIEnv* jni) {
  auto os_thread = vm_structs::offset_of("JavaThread", "_osthread");
  if (!os_thread) os_thread = vm_structs::offset_of("Thread", "_osthread");
  const auto thread_id = vm_structs::offset_of("OSThread", "_thread_id");
  const jfieldID vm_thread = thread_field(jni, "eetop", "J");
  if (!os_thread || !thread_id || vm_thread == nullptr) return;
  os_thread_ = *os_thread;
  thread_id_ = *thread_id;
  vm_thread_ = vm_thread;
  // The offsets are used only if they give the right id for the current thread.
  LocalRef<jobject> current(jni, nullptr);
  if (jvmti_->GetCurrentThread(current.out()) != JVMTI_ERROR_NONE ||
      os_id(jni, current.get()) != static_cast<std::uint32_t>(syscall(SYS_gettid))) {
    vm_thread_ = nullptr;
  }
}

std::string ThreadFields::name(JNIEnv* jni, jthread thread) const {
  if (name_ == nullptr) return ask_jvmti(jvmti_, jni, thread).name;
  const LocalRef<jstring> text(jni, static_cast<jstring>(jni->GetObjectField(thread, name_)));
  if (!text) return "";
  const jsize length = jni->GetStringLength(text.get());
  std::u16string units(static_cast<std::size_t>(length), u'\0');
  jni->GetStringRegion(text.get(), 0, length, reinterpret_cast<jchar*>(units.data()));
  return to_utf8(units);
}

bool ThreadFields::daemon(JNIEnv* jni, jthread thread) const {
  if (daemon_ == nullptr) return ask_jvmti(jvmti_, jni, thread).daemon;
  if (holder_ == nullptr) return jni->GetBooleanField(thread, daemon_) == JNI_TRUE;
  const LocalRef<jobject> holder(jni, jni->GetObjectField(thread, holder_));
  return holder && jni->GetBooleanField(holder.get(), daemon_) == JNI_TRUE;
}

std::uint32_t ThreadFields::os_id(JNIEnv* jni, jthread thread) const {
  if (vm_thread_ == nullptr) return 0;
  const jlong before = jni->GetLongField(thread, vm_thread_);
  if (before == 0) return 0;
  const auto os_thread = read_own<std::uintptr_t>(static_cast<std::uintptr_t>(before + os_thread_));
  if (!os_thread) return 0;
  const auto id = read_own<std::int32_t>(*os_thread + static_cast<std::uintptr_t>(thread_id_));
  // The VM clears eetop before it frees the JavaThread. If eetop is unchanged, the JavaThread was
  // alive during the reads.
  if (!id || *id <= 0 || jni->GetLongField(thread, vm_thread_) != before) return 0;
  return static_cast<std::uint32_t>(*id);
}

}  // namespace ddm
