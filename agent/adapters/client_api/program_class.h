// One AgentLink class of the program (java/client), and the calls into it.
#pragma once

#include <jni.h>

#include <memory>

#include "wire/chunks/reply.h"

namespace ddm {

class ProgramClass {
 public:
  // Null when the class lacks the expected methods; no exception is pending.
  static std::shared_ptr<ProgramClass> of(JNIEnv* jni, jclass link);
  ~ProgramClass();
  ProgramClass(const ProgramClass&) = delete;
  ProgramClass& operator=(const ProgramClass&) = delete;

  bool is(JNIEnv* jni, jclass link) const;
  bool unloaded(JNIEnv* jni) const;

  // From here on: an attached thread on which the program's code may run.
  void dispatch(JNIEnv* jni, ChunkType type, const Bytes& data, Reply reply) const;
  void broadcast(JNIEnv* jni, int event) const;
  void arrived(JNIEnv* jni) const;

 private:
  ProgramClass(JavaVM* vm, jweak link) : vm_(vm), link_(link) {}
  template <typename... Arguments>
  void call(JNIEnv* jni, jmethodID method, Arguments... arguments) const;

  JavaVM* const vm_;
  const jweak link_;  // weak, so that the program's class loader can be unloaded
  jmethodID dispatch_ = nullptr;
  jmethodID broadcast_ = nullptr;
  jmethodID arrived_ = nullptr;
};

// One answer, with its type and length, as the array that AgentLink expects. Null: out of memory,
// and the exception is pending.
jbyteArray to_java(JNIEnv* jni, const Chunk& answer);

// A Java array's content; null is nothing.
Bytes from_java(JNIEnv* jni, jbyteArray array);

}  // namespace ddm
