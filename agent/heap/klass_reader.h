// Fills the walk's table from the classes that are loaded.
//
// A class word is read out of a java.lang.Class by Unsafe, in Java, so that no collector can move
// the object meanwhile, and followed only as long as a reference keeps its class alive: the caller
// has to hold the JNI frame in which read() was called until the walk is over. One attached thread
// at a time.
#pragma once

#include <jvmti.h>

#include <optional>
#include <vector>

#include "heap/heap_layout.h"
#include "heap/walk/klass_table.h"
#include "vm/java_unsafe.h"

namespace ddm {

class KlassReader {
 public:
  explicit KlassReader(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  // Looks up what it needs from Java, and completes `layout` with fields of Java classes. "" or
  // what is missing.
  std::string prepare(JNIEnv* jni, HeapLayout& layout);

  // All classes loaded now, into `table`. Makes local references.
  std::string read(JNIEnv* jni, const HeapLayout& layout, KlassTable& table);

  // What the table has of one class's own klass; none: nothing that a walk could use. Any attached
  // thread.
  std::optional<KlassCell> cell_of(JNIEnv* jni, const HeapLayout& layout, jclass mirror) const;

  // Those that read() has found last, by the numbers that the table has for them. Only while their
  // references are there.
  const std::vector<jclass>& classes() const { return classes_; }
  std::string name_of(std::uint32_t number) const;

  // The one object of its class: jdk.internal.misc.Unsafe.
  jobject unsafe() const { return unsafe_.object(); }

 private:
  bool is_filler_array(jclass mirror) const;
  // Where an array's klass leads to those that arrays have (KlassLayout::refined_arrays).
  void find_refined_arrays(JNIEnv* jni, const HeapLayout& layout);
  void insert_refined_arrays(JNIEnv* jni, const HeapLayout& layout, jclass mirror,
                             KlassTable& table) const;

  jvmtiEnv* const jvmti_;
  JavaUnsafe unsafe_;
  std::vector<jclass> classes_;
  std::uint64_t class_klass_ = 0;
  std::uint64_t stack_chunk_klass_ = 0;
  std::uint64_t filler_object_klass_ = 0;
  std::uint32_t klass_kind_ = 0, array_kind_ = 0;
  std::uint32_t refined_array_ = 0;  // offset; 0: there are none
};

}  // namespace ddm
