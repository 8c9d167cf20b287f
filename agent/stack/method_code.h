// The bytecode and the lines of one version of a method, read from the VM's own memory by its Method*.
//
// JVMTI knows a method by its jmethodID, and that of a frame may stand for another version than the
// frame runs: a class that is redefined leaves the version that runs and equals the new one under the
// method's id, and when the next redefinition does change the method, that version stays there
// (InstanceKlass::mark_newly_obsolete_methods). Only the frame still says which one it runs.
//
// All reads can fail and none can fault. Any thread.
#pragma once

#include <jni.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "stack/walk/line_table.h"

namespace ddm {

class MethodCode {
 public:
  explicit MethodCode(JNIEnv* jni);

  struct Version {
    std::vector<std::uint8_t> bytecode;
    std::vector<LineEntry> lines;  // none: it has no such table
  };
  // `method`: a Method*. Nothing: this VM does not tell, or that is none.
  std::optional<Version> read(const void* method) const;

 private:
  struct Layout {
    std::uint32_t method_const = 0, flags = 0, code_size = 0, code = 0;
    std::uint32_t has_lines = 0;  // of the flags
    std::uint8_t stream_base = 0;
  };

  std::optional<Layout> layout_;
};

}  // namespace ddm
