// The heap dumps among the paths of dump=: at the program's end and at the first OutOfMemoryError,
// with allocation stacks if live= is on.
//
// One dump at a time, which the caller ensures. Any attached thread.
#pragma once

#include <jni.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "report/assembly/heap_dumps.h"

namespace ddm {

class HeapDumpReports {
 public:
  // `paths`: expanded. Java objects that a dump needs are allocated here, since at an
  // OutOfMemoryError the heap is full.
  HeapDumpReports(std::unique_ptr<HeapDumps> dumps, JNIEnv* jni, std::vector<std::string> paths,
                  FollowedObjects& followed);

  // `dying`: the VM is about to exit. `oom` = to NAME-oom.hprof. If a path cannot be written, the
  // same file name in the temporary directory is used. Without `jni` no dump is possible, which is
  // logged.
  void write(JNIEnv* jni, bool oom, bool dying);

  // For the thread with the OutOfMemoryError, after write() was posted: waits until the VM has
  // dumped the heap as it is now, like -XX:+HeapDumpOnOutOfMemoryError. Gives up early if the dump
  // does not start: this thread may hold a lock that it needs.
  void await_oom();

  // A dump is being written, not just waiting for the collection. Any thread.
  bool is_writing() const { return dumps_->is_writing(); }

  // Another one takes its place: nobody waits for this one any more.
  void retire(JNIEnv* jni);
  // VMDeath: removes unfinished files.
  void close();

 private:
  void write_file(JNIEnv* jni, const std::string& path, const std::function<void()>& dumped);
  void oom_is_dumped();

  const std::vector<std::string> paths_;
  FollowedObjects& followed_;
  const std::unique_ptr<HeapDumps> dumps_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool oom_dumped_ = false;  // a dump at OutOfMemoryError was written, or was ruled out
};

}  // namespace ddm
