// Classes that become ready after the walk's table was made and before the program stands still.
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
  // So many are kept of one round.
  static constexpr std::size_t kMost = 8192;

  // Never destroyed, nor is the reader: an event callback may still run after the events were
  // disabled.
  LateClasses(jvmtiEnv* jvmti, const KlassReader& reader, const HeapLayout& layout)
      : jvmti_(jvmti), reader_(reader), layout_(layout) {}

  // Before the table is made. "" or why none will be seen.
  std::string begin();
  // While the program stands still, into a table that has room for kMost. Allocates nothing.
  void add_to(KlassTable& table) noexcept;
  void end();

 private:
  static void JNICALL on_prepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass mirror);

  jvmtiEnv* const jvmti_;
  const KlassReader& reader_;
  const HeapLayout layout_;
  // Held by threads in native code only, for a moment: the program may be stopped meanwhile, they
  // are not.
  std::mutex mutex_;
  std::vector<KlassCell> cells_;
};

}  // namespace ddm
