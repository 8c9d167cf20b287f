// Heap dumps for reports, which must depend neither on the heap feature, which writes them, nor on
// allocations, which know the stacks of live objects (live=). Any attached thread.
#pragma once

#include <jni.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/result.h"
#include "report/hprof/hprof_sites_dump.h"

namespace ddm {

// Creates a strong global reference for each object with a known stack, so that it survives until
// the caller deletes these. nullopt: no objects are followed.
using HoldObjects = std::function<std::optional<DumpSites>(JNIEnv*)>;

class FollowedObjects {
 public:
  virtual ~FollowedObjects() = default;
  virtual std::optional<DumpSites> hold(JNIEnv* jni) = 0;
  // Why no objects are followed and what to do, as a sentence; "": they are followed.
  virtual std::string why_none() const = 0;
};

class HeapDumps {
 public:
  virtual ~HeapDumps() = default;

  enum class Existing { kKept, kReplaced };

  // Writes all reachable objects into a file of mode 0600, with their allocation stacks if `hold`
  // is given. Returns the number of objects with a stack, or the error; an existing file that is
  // kept is an error. `dumped` is called once the VM has written the objects: later changes are not
  // in the file.
  virtual Result<std::uint64_t> write(JNIEnv* jni, const std::string& path, const HoldObjects& hold,
                                      Existing existing, const std::function<void()>& dumped) = 0;
  // Allocates the Java objects that write() to this path needs, while the heap has room.
  virtual std::optional<Error> prepare(JNIEnv* jni, const std::string& path) = 0;
  virtual void forget_prepared(JNIEnv* jni) = 0;

  // Called in VMDeath, before the last dump. The threads of ZGC and Shenandoah have stopped by then
  // and a collection request would never return, so no dump after this call requests one.
  virtual void vm_dies() = 0;
  // A dump is being written, not just waiting for the collection.
  virtual bool is_writing() const = 0;
  // VMDeath: no dump starts after this.
  virtual void close() = 0;
};

using MakeHeapDumps = std::function<std::unique_ptr<HeapDumps>()>;

}  // namespace ddm
