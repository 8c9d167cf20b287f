// Heap dumps as HotSpot writes them (hprof), into a file of the user's or one for a server.
//
// With the stacks of allocations (write_sites_dump) the VM's dump is rewritten. What it lacks for
// that is which object is which: ids are addresses, and objects move until the VM stops for the
// dump. So each followed object gets a strong JNI handle just before: the dump tells of every such
// handle and of the object behind it as a root. 200,000 of 200,000 objects were found that way with
// each collector of 17 and 25, for about 10 bytes and 100 ns an object until the dump is done; the
// other ways are tags, which dumps do not show, own walks, which have no ids, and arrays of the
// objects, which need room in a heap that may be full. A collection first: what is dead gets no
// handle. What dies between that and the dump stays in it, without a root.
//
// Attached threads, one dump at a time. A dump is first written under a name of its own in a place
// that only we may read, so that nobody sees half of one, and what is left of a dump that failed,
// or that the VM's end came into, is removed: at the VM's death what is there by then, and the rest
// when the process runs its exit handlers, since the VM may be writing until then (from 21 on
// several files beside each other, which it puts together in the end).
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

  // The same into a file without a name. An error when it is bigger than `max_bytes`; with luck
  // that is known without writing it first.
  Result<std::shared_ptr<const StoredData>> store(JNIEnv* jni, std::size_t max_bytes);
  // Whatever its size.
  struct Stored {
    std::shared_ptr<const StoredData> data;
    std::uint64_t with_stack = 0;
  };
  Result<Stored> store(JNIEnv* jni, const HoldObjects& hold);

  void vm_dies() override;
  bool is_writing() const override { return writing_; }
  void close() override;

 private:
  // Where a dump is being written.
  struct Place {
    std::string directory;
    std::string file;
    bool own_directory = false;  // to be removed with the file
  };
  // Names what is to be removed, for as long as it lives.
  class Unfinished;

  // A file to be, in a directory that is open: its path is ASCII, whatever the user's is.
  struct Target {
    std::string path;
    FileDescriptor directory;
    std::string name;
    std::string temporary;
    jstring java_path = nullptr;  // of the temporary file, a global reference; null: not prepared
    std::string through() const;
    std::string temporary_path() const { return through() + "/" + temporary; }
  };
  static Result<Target> target_of(const std::string& path);

  std::optional<Error> refuse_big_heap(JNIEnv* jni, std::size_t max_bytes);
  // The VM's dump at `path`, and what it will say of the objects that `hold` holds.
  Result<std::optional<DumpSites>> dump(JNIEnv* jni, const std::string& path, jstring java_path,
                                        const HoldObjects& hold);
  // That dump rewritten: how many objects have stacks. The file at `path` goes first.
  Result<std::uint64_t> rewrite(const std::string& path, DumpSites& sites, const ReportSink& sink);
  Result<std::uint64_t> write_to(JNIEnv* jni, const Target& target, const HoldObjects& hold,
                                 Existing existing, const std::function<void()>& dumped);
  Result<std::uint64_t> rewrite_in_place(const std::string& path, DumpSites& sites);
  Result<Stored> store_unlimited(JNIEnv* jni, const HoldObjects& hold);
  // Lock held.
  void remove_unfinished() const;
  static void remove_all_at_exit();
  void remove_pieces();

  jvmtiEnv* const jvmti_;
  HeapFiguresReader figures_;
  std::mutex one_dump_;
  std::vector<Target> prepared_;
  std::atomic<bool> collects_{true};
  std::atomic<bool> writing_{false};

  std::mutex mutex_;
  std::optional<Place> unfinished_;
  std::atomic<bool> closed_{false};  // changed under the mutex
  HeapDumper* next_unfinished_at_exit_ = nullptr;
};

}  // namespace ddm
