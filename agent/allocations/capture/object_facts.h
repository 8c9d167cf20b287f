// Class and size of an object that the calling thread has just allocated, without a call into the
// VM: the class word is read through the reference.
//
// The collector may move the object meanwhile, which HeapPauses tells; then the VM is called. The
// meaning of a class word is cached until the next pause, which may unload the class; afterwards
// the class is found by its tag. Slots are written without a lock: a slot written by two threads at
// once, or read half written, fails its own checksum and counts as empty. Any thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "stack/class_ids.h"
#include "vm/memory/heap_pauses.h"
#include "vm/memory/object_layout.h"

namespace ddm {

class ObjectFacts {
 public:
  ObjectFacts(jvmtiEnv* jvmti, NameTable& names) : jvmti_(jvmti), class_ids_(jvmti, names) {}

  // Call before the first of(). Null: objects may move at any time.
  void watch(JNIEnv* jni, const HeapPauses* pauses);

  struct Facts {
    NameId class_id = kUnknownName;
    std::int64_t size = 0;  // 0: unknown
  };

  // `klass` and `size`: if already known; else null, 0.
  Facts of(JNIEnv* jni, jobject object, jclass klass, std::int64_t size);

 private:
  // What a class word means.
  struct KlassFacts {
    NameId class_id = kUnknownName;
    std::int32_t layout_helper = 0;
  };
  struct Slot {
    std::atomic<std::uint64_t> check;  // checksum of the two others and the class word
    std::atomic<std::uint64_t> id;     // | number of pauses | class id |
    std::atomic<std::uint64_t> helper;
    std::uint64_t unused;  // for two slots per cache line
  };
  static constexpr std::size_t kSlots = 8192;

  // What an object's memory tells. Class and size are those that the table knows the class word for.
  struct Look {
    std::uint64_t word = 0;
    std::uint32_t pauses = 0;
    KlassFacts klass;
    std::int64_t size = 0;
  };
  // False: the object may have moved meanwhile.
  bool look_at(jobject object, Look& look) const;
  bool find(std::uint64_t word, std::uint32_t pauses, KlassFacts& klass_facts) const;
  void insert(std::uint64_t word, std::uint32_t pauses, KlassFacts klass_facts);
  // Stores what the word means. Returns the class's id.
  NameId learn(jclass klass, std::uint64_t word, std::uint32_t pauses);
  Facts query(JNIEnv* jni, jobject object, jclass klass, std::int64_t size);

  jvmtiEnv* const jvmti_;
  ClassIds class_ids_;
  ObjectLayout objects_;
  KlassLayout klasses_;
  bool watched_ = false;
  const HeapPauses* pauses_ = nullptr;  // null: objects may move at any time, so the VM is called
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace ddm
