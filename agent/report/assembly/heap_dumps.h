// Dumps of the whole heap into files, for who wants one among its reports. Any attached thread.
#pragma once

#include <jni.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/result.h"
#include "report/assembly/followed_objects.h"

namespace ddm {

class HeapDumps {
 public:
  virtual ~HeapDumps() = default;

  enum class Existing { kKept, kReplaced };

  // All reachable objects into a file, mode 0600, with the stacks of their allocations if `hold` is
  // given: how many objects have one, or what went wrong. A file that is kept is an error.
  // `dumped` is called when the VM has written its part: what happens then is not in the file.
  virtual Result<std::uint64_t> write(JNIEnv* jni, const std::string& path, const HoldObjects& hold,
                                      Existing existing, const std::function<void()>& dumped) = 0;
  // What write() to this path needs of Java's heap, while there is room.
  virtual std::optional<Error> prepare(JNIEnv* jni, const std::string& path) = 0;

  // In VMDeath, before the last dump. ZGC and Shenandoah have stopped for good by then, and whoever
  // asked them for a collection would wait for ever: there is none any more.
  virtual void vm_dies() = 0;
  // A dump is written, and not just waiting for the collector.
  virtual bool is_writing() const = 0;
  // At the VM's death. No dump begins any more.
  virtual void close() = 0;
};

using MakeHeapDumps = std::function<std::unique_ptr<HeapDumps>()>;

}  // namespace ddm
