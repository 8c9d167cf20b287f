// Classes that are prepared after the walk's table was made and before the program is stopped.
//
// A program that keeps loading classes always has some, and the walk could not size their objects.
// The VM posts an event for each on the thread that loads it. (None for array classes.)
#pragma once

#include <jvmti.h>

#include <mutex>
#include <vector>

#include "heap/heap_layout.h"
#include "heap/klass_reader.h"

namespace ddm {

class LateClasses {
 public:
  // The most that are kept a round.
  static constexpr std::size_t kMost = 8192;

  // Never destroyed, nor is the reader: an event callback may still run after the events were
  // disabled.
  LateClasses(jvmtiEnv* jvmti, const KlassReader& reader, const HeapLayout& layout)
      : jvmti_(jvmti), reader_(reader), layout_(layout) {}

  // To be called before the table is made. "" or the error.
  std::string begin();
  // Adds them to a table with room for kMost, while the program is stopped. Does not allocate.
  void add_to(KlassTable& table) noexcept;
  void end();

 private:
  static void JNICALL on_prepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass mirror);

  jvmtiEnv* const jvmti_;
  const KlassReader& reader_;
  const HeapLayout layout_;
  // Held briefly, and by threads in native code only: a safepoint does not stop those, so add_to()
  // cannot wait for a stopped thread.
  std::mutex mutex_;
  std::vector<KlassCell> cells_;
};

}  // namespace ddm
