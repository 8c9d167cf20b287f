// What a java.lang.Thread object says of its thread, read from its fields: some 100 ns each, where
// JVMTI's GetThreadInfo takes 45 microseconds on 25.
//
// Any attached thread. A field that this VM does not have is asked of JVMTI instead.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ddm {

class ThreadFields {
 public:
  // Finds the fields; no class is loaded. None: not even the id can be read.
  static std::optional<ThreadFields> find(jvmtiEnv* jvmti, JNIEnv* jni);

  std::int64_t id(JNIEnv* jni, jthread thread) const { return jni->GetLongField(thread, id_); }
  std::string name(JNIEnv* jni, jthread thread) const;  // UTF-8
  bool daemon(JNIEnv* jni, jthread thread) const;

  // The kernel's id of the thread (jstack's nid); 0 = not known, or not alive.
  std::uint32_t os_id(JNIEnv* jni, jthread thread) const;

 private:
  explicit ThreadFields(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  void find_daemon(JNIEnv* jni, jclass thread_class);
  void find_os_id(JNIEnv* jni, jclass thread_class);

  jvmtiEnv* jvmti_;
  jfieldID id_ = nullptr;
  jfieldID name_ = nullptr;
  jfieldID holder_ = nullptr;  // from 19 on `daemon` is in Thread.holder
  jfieldID daemon_ = nullptr;
  jfieldID vm_thread_ = nullptr;  // Thread.eetop: the JavaThread, 0 before and after its life
  std::int64_t os_thread_ = 0;    // offset of JavaThread::_osthread
  std::int64_t thread_id_ = 0;    // offset of OSThread::_thread_id
};

}  // namespace ddm
