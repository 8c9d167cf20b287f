// Heap dumps as HotSpot writes them (hprof), into a file of the user's or one for a server.
//
// Attached threads, one dump at a time. A dump is first written under a name of its own in a place
// that only we may read, so that nobody sees half of one, and what is left of a dump that failed,
// or that the VM's end came into, is removed: at the VM's death what is there by then, and the rest
// when the process runs its exit handlers, since the VM may be writing until then (from 21 on
// several files beside each other, which it puts together in the end).
#pragma once

#include <jvmti.h>

#include <mutex>
#include <optional>
#include <string>

#include "ddm/stored_data.h"
#include "heap/heap_figures.h"

namespace ddm {

class HeapDumper {
 public:
  HeapDumper(jvmtiEnv* jvmti, HeapFiguresReader& figures) : jvmti_(jvmti), figures_(figures) {}

  // All reachable objects into a file that does not exist yet, mode 0600.
  std::optional<Error> write(JNIEnv* jni, const std::string& path);

  // The same into a file without a name. An error when it is bigger than `max_bytes`; with luck
  // that is known without writing it first.
  Result<std::shared_ptr<const StoredData>> store(JNIEnv* jni, std::size_t max_bytes);

  // At the VM's death. No dump begins any more.
  void close();

 private:
  // Where a dump is being written.
  struct Place {
    std::string directory;
    std::string file;
    bool own_directory = false;  // to be removed with the file
  };
  // Names what is to be removed, for as long as it lives.
  class Unfinished;

  std::optional<Error> refuse_big_heap(JNIEnv* jni, std::size_t max_bytes);
  // Lock held.
  void remove_unfinished() const;
  static void remove_all_at_exit();

  jvmtiEnv* const jvmti_;
  HeapFiguresReader& figures_;
  std::mutex one_dump_;

  std::mutex mutex_;
  std::optional<Place> unfinished_;
  bool closed_ = false;
};

}  // namespace ddm
