// Fills the walk's class table from the loaded classes.
//
// The klass pointer is read from a java.lang.Class by Unsafe, in Java, so no collector moves the
// object meanwhile. It is dereferenced only while a reference keeps the class alive: the caller keeps
// the JNI frame of read() until the walk is over. One attached thread at a time.
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

  // Looks up the required Java members, and adds the offsets of Java fields to `layout`. "" or the
  // missing member.
  std::string prepare(JNIEnv* jni, HeapLayout& layout);

  // Fills `table` with all loaded classes; creates local references. "" or the error.
  std::string read(JNIEnv* jni, const HeapLayout& layout, KlassTable& table);

  // The table's cell for one class; nullopt: a walk cannot use the class. Any attached thread.
  std::optional<KlassCell> cell_of(JNIEnv* jni, const HeapLayout& layout, jclass mirror) const;

  // The classes of the last read(), by table number; valid as long as their local references.
  const std::vector<jclass>& classes() const { return classes_; }
  std::string name_of(std::uint32_t number) const;

  // The singleton jdk.internal.misc.Unsafe.
  jobject unsafe() const { return unsafe_.object(); }

 private:
  bool is_filler_array(jclass mirror) const;
  // The refined klasses of an array class (KlassLayout::refined_arrays).
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
  std::uint32_t refined_array_ = 0;  // an offset; 0: this VM has none
};

}  // namespace ddm
