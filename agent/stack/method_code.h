// The bytecode and line table of one version of a method, read from the VM's memory by its Method*.
//
// JVMTI identifies a method by its jmethodID, which may denote another version than the one that a
// frame executes: when a redefinition leaves a method unchanged, the new version is registered
// under the id, and when the next redefinition changes the method, the id stays with that version
// (InstanceKlass::mark_newly_obsolete_methods). Only the frame refers to the version that it
// executes.
//
// All reads can fail and none can fault. Any thread.
#pragma once

#include <jni.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "stack/walk/stored_code.h"

namespace ddm {

class MethodCode {
 public:
  explicit MethodCode(JNIEnv* jni);

  struct Version {
    std::vector<std::uint8_t> bytecode;
    std::vector<LineEntry> lines;  // empty: it has no such table
  };
  // `method`: a Method*. nullopt: the VM's layout is unknown, or it is no Method.
  std::optional<Version> read(const void* method) const;

 private:
  struct Layout {
    std::uint32_t method_const = 0, flags = 0, code_size = 0, code = 0;
    std::uint32_t has_lines = 0;  // bit in the flags
    std::uint8_t stream_base = 0;
  };

  std::optional<Layout> layout_;
};

}  // namespace ddm
