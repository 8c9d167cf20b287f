// Returns class bytes from a ClassFileLoadHook: in memory from JVMTI Allocate, which the VM frees.
#pragma once

#include <jvmti.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace ddm {

// False: no memory, and the class keeps its bytes.
inline bool give_class_bytes(jvmtiEnv* jvmti, std::span<const std::uint8_t> bytes, jint* new_length,
                             unsigned char** new_bytes) {
  unsigned char* memory = nullptr;
  if (jvmti->Allocate(static_cast<jlong>(bytes.size()), &memory) != JVMTI_ERROR_NONE) return false;
  std::copy(bytes.begin(), bytes.end(), memory);
  *new_length = static_cast<jint>(bytes.size());
  *new_bytes = memory;
  return true;
}

}  // namespace ddm
