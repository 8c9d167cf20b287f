// Classes that are prepared between the reading of the walk's class table and the safepoint.
//
// A program that keeps loading classes always has some, and the walk could not size their objects.
// The VM posts ClassPrepare for each, on the loading thread; not for array classes.
#pragma once

#include <jvmti.h>

#include <mutex>
#include <vector>

#include "heap/heap_layout.h"
#include "heap/klass_reader.h"

namespace ddm {

class LateClasses {
 public:
  // Limit per round.
  static constexpr std::size_t kMost = 8192;

  // Never destroyed, nor is the reader: a callback may still run after the event was disabled.
  LateClasses(jvmtiEnv* jvmti, const KlassReader& reader, const HeapLayout& layout)
      : jvmti_(jvmti), reader_(reader), layout_(layout) {}

  // Call before the class table is read. "" or the error.
  std::string begin();
  // Adds them to a table with capacity for kMost, at the safepoint. Does not allocate.
  void add_to(KlassTable& table) noexcept;
  void end();

 private:
  static void JNICALL on_prepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass mirror);

  jvmtiEnv* const jvmti_;
  const KlassReader& reader_;
  const HeapLayout layout_;
  // Held briefly, by threads in native code only, which a safepoint does not stop: add_to() never
  // waits for a stopped thread.
  std::mutex mutex_;
  std::vector<KlassCell> cells_;
};

}  // namespace ddm
