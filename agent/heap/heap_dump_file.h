// Heap dumps written by HotSpot (hprof format), into a file of the user's or one for a server.
//
// For a dump with allocation stacks (write_sites_dump) the VM's dump is rewritten, which requires
// the object ids of the followed objects: ids are addresses, and objects move until the VM stops
// for the dump. Each followed object therefore gets a strong JNI handle just before, since the dump
// lists every such handle with its object as a root. This found 200,000 of 200,000 objects with
// each collector of 17 and 25, for about 10 bytes and 100 ns per object during the dump. The
// alternatives fail: dumps do not contain tags, the agent's own walks have no ids, and arrays of the
// objects need space in a heap that may be full. A collection precedes the dump, so that dead objects
// get no handle; an object that dies in between stays in the dump, without a root.
//
// Attached threads, one dump at a time. A dump is written in a temporary directory beside its place
// that only this user may read, so that nobody sees an incomplete one. Remains of a failed dump, or
// of one that the VM's end interrupted, are removed at VMDeath, and again in an exit handler of the
// process, since the VM may still be writing until then (from 21 on several files, which it merges
// at the end). A program that is killed leaves the directory, but not the lock on it: the next dump
// there, of any program of this user, removes it.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/file_descriptor.h"
#include "heap/heap_figures.h"
#include "report/assembly/heap_dumps.h"
#include "wire/chunks/stored_data.h"

namespace ddm {

class HeapDumper final : public HeapDumps {
 public:
  explicit HeapDumper(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  Result<std::uint64_t> write(JNIEnv* jni, const std::string& path, const HoldObjects& hold = {},
                              Existing existing = Existing::kKept,
                              const std::function<void()>& dumped = {}) override;
  std::optional<Error> prepare(JNIEnv* jni, const std::string& path) override;
  void forget_prepared(JNIEnv* jni) override;

  // The same into an unlinked file. An error if it exceeds `max_bytes`, which is often known from the
  // heap's size before anything is written.
  struct Stored {
    std::shared_ptr<const StoredData> data;
    std::uint64_t with_stack = 0;
  };
  Result<Stored> store(JNIEnv* jni, const HoldObjects& hold,
                       std::optional<std::size_t> max_bytes = std::nullopt);

  void vm_dies() override;
  bool is_writing() const override { return writing_; }
  void close() override;

 private:
  // The directory of a dump that is being written.
  struct Place {
    std::string directory;
    FileDescriptor lock;
  };
  // Makes it, and registers it for removal, for as long as this object lives.
  class Unfinished;

  // A future file in an open directory: its path is ASCII even if the user's path is not.
  struct Target {
    std::string path;
    FileDescriptor directory;
    std::string name;
    std::string temporary;        // the directory of the unfinished dump
    jstring java_path = nullptr;  // of the unfinished dump, a global reference; null: not prepared
    std::string through() const;
    std::string temporary_file() const;
    std::string temporary_path() const { return through() + "/" + temporary_file(); }
  };
  static Result<Target> target_of(const std::string& path);

  std::optional<Error> refuse_big_heap(JNIEnv* jni, std::size_t max_bytes);
  // Writes the VM's dump to `path`, with the objects of `hold` as roots.
  Result<std::optional<DumpSites>> dump(JNIEnv* jni, const std::string& path, jstring java_path,
                                        const HoldObjects& hold);
  Result<std::uint64_t> write_to(JNIEnv* jni, const Target& target, const HoldObjects& hold,
                                 Existing existing, const std::function<void()>& dumped);
  // Rewrites that dump and returns the number of objects with stacks.
  Result<std::uint64_t> rewrite(const std::string& path, DumpSites& sites);
  // With the lock held.
  void remove_unfinished() const;
  static void remove_all_at_exit();

  jvmtiEnv* const jvmti_;
  HeapFiguresReader figures_;
  std::mutex one_dump_;
  std::vector<Target> prepared_;
  std::atomic<bool> collects_{true};
  std::atomic<bool> writing_{false};
  std::atomic<bool> vm_writes_{false};  // the first part of that

  std::mutex mutex_;
  std::optional<Place> unfinished_;
  std::atomic<bool> closed_{false};  // changed under the mutex
  HeapDumper* next_unfinished_at_exit_ = nullptr;
};

}  // namespace ddm
