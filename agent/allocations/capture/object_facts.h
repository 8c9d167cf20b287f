// Class and size of an object that the calling thread has just made, without asking the VM: its
// class word is read through the reference.
//
// The collector may move the object meanwhile; GcPauses tells whether it did, and then the VM is
// asked. What a class word means is remembered until the next pause, in which its class may be
// unloaded, and found again by the class's tag. Slots are written without a lock: one that two
// threads write at once, or that is read half written, does not fit its own check and counts as
// empty. Any thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "stack/class_ids.h"
#include "vm/gc_pauses.h"
#include "vm/memory/object_layout.h"

namespace ddm {

class ObjectFacts {
 public:
  ObjectFacts(jvmtiEnv* jvmti, NameTable& names) : jvmti_(jvmti), class_ids_(jvmti, names) {}

  // Before the first of(). Null: objects may move at any time.
  void watch(JNIEnv* jni, const GcPauses* pauses);

  struct Facts {
    NameId class_id = kUnknownName;
    std::int64_t size = 0;  // 0: not known
  };

  // `klass` and `size`: what is known already; else null, 0.
  Facts of(JNIEnv* jni, jobject object, jclass klass, std::int64_t size);

 private:
  // Of a class: what a class word means.
  struct Meaning {
    NameId class_id = kUnknownName;
    std::int32_t layout_helper = 0;
  };
  struct Slot {
    std::atomic<std::uint64_t> check;  // of the two others and the class word
    std::atomic<std::uint64_t> id;     // | number of pauses | class id |
    std::atomic<std::uint64_t> helper;
    std::uint64_t unused;  // two slots a cache line
  };
  static constexpr std::size_t kSlots = 8192;

  // Which of the VM's claims about objects is wrong, or "".
  std::string wrong_with_objects(JNIEnv* jni, const GcPauses& pauses) const;
  // The object's class word, if no pause has begun since `pause`.
  std::optional<std::uint64_t> class_word(jobject object, std::uint64_t pause) const;
  bool find(std::uint64_t word, std::uint32_t pauses, Meaning& meaning) const;
  void insert(std::uint64_t word, std::uint32_t pauses, Meaning meaning);
  Meaning learn(JNIEnv* jni, jclass klass, std::uint64_t word, std::uint32_t pauses);
  // 0: not known, or the object has moved.
  std::int64_t size_of(jobject object, std::int32_t layout_helper, std::uint64_t pause) const;
  Facts ask(JNIEnv* jni, jobject object, jclass klass, std::int64_t size);

  jvmtiEnv* const jvmti_;
  ClassIds class_ids_;
  ObjectLayout objects_;
  KlassLayout klasses_;
  bool watched_ = false;
  const GcPauses* pauses_ = nullptr;  // null: objects may move at any time, the VM is asked
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace ddm
