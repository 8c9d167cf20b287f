// Heap dumps as HotSpot writes them (hprof), into a file of the user's or into memory.
//
// Attached threads, one dump at a time. A dump is first written under a name of its own in a place
// that only we may read, so that nobody sees half of one, and what is left of a dump that failed,
// or that the VM's end came into, is removed.
#pragma once

#include <jvmti.h>

#include <mutex>
#include <string>

#include "ddm/bytes.h"
#include "ddm/result.h"
#include "heap/heap_figures.h"

namespace ddm {

class HeapDumper {
 public:
  HeapDumper(jvmtiEnv* jvmti, HeapFiguresReader& figures) : jvmti_(jvmti), figures_(figures) {}

  // All reachable objects into a file that does not exist yet, mode 0600.
  std::optional<Error> write(JNIEnv* jni, const std::string& path);

  // The same into memory. An error when it is bigger than `max_bytes`; with luck that is known
  // without writing it first.
  Result<Bytes> read(JNIEnv* jni, std::size_t max_bytes);

  // At the VM's death.
  void close();

 private:
  // Names what is to be removed, for as long as it lives.
  class Unfinished;

  std::optional<Error> refuse_big_heap(JNIEnv* jni, std::size_t max_bytes);
  void remove_unfinished();

  jvmtiEnv* const jvmti_;
  HeapFiguresReader& figures_;
  std::mutex one_dump_;

  std::mutex mutex_;  // guards what is to be removed
  std::string unfinished_file_;
  std::string unfinished_directory_;
};

}  // namespace ddm
