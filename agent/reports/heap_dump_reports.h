// The heap dumps among the paths of dump=: at the end of the program and at the first
// OutOfMemoryError, with the stacks of allocations where live= is on.
//
// One dump at a time, its caller sees to that. Any attached thread.
#pragma once

#include <jni.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "heap/heap_dump_file.h"
#include "report/assembly/followed_objects.h"

namespace ddm {

class HeapDumpReports {
 public:
  // `paths`: filled in. What they need of Java's heap is made now: at an OutOfMemoryError there is
  // no room.
  HeapDumpReports(jvmtiEnv* jvmti, JNIEnv* jni, std::vector<std::string> paths,
                  FollowedObjects& followed);

  bool any() const { return !paths_.empty(); }

  // `dying`: the VM is about to end. `oom` = to NAME-oom.hprof. A path that cannot be written is
  // replaced by the same file name in the temporary directory. Without `jni` there is none, and
  // that is said.
  void write(JNIEnv* jni, bool oom, bool dying);

  // For the thread whose OutOfMemoryError write() has been asked for: waits until the VM has
  // written what is in the heap now, as it does itself with -XX:+HeapDumpOnOutOfMemoryError. Not
  // for long when that does not begin: this thread may hold what is needed for it.
  void await_oom();

  // One is written, and not just waiting for the collector. Any thread.
  bool is_writing() const { return dumper_.is_writing(); }

  // At the VM's death: what is unfinished goes.
  void close();

 private:
  void write_file(JNIEnv* jni, const std::string& path, const std::function<void()>& dumped);
  void oom_is_dumped();

  const std::vector<std::string> paths_;
  FollowedObjects& followed_;
  HeapFiguresReader figures_;
  HeapDumper dumper_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool oom_dumped_ = false;  // or there will be none
};

}  // namespace ddm
