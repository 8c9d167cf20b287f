// The class files of loaded classes, as the VM gives them out when a class is retransformed: built
// from what it has in memory, methods in another order, and with what this agent and others have
// rewritten in them.
//
// Retransforming costs the code that was compiled of each class: read what is asked for, not
// everything. Attached threads, without locks that a class hook needs.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ddm {

// By name, "a.b.C". Of those for which `wanted` is true; a class that the VM does not give is
// missing. What could not be done at all is said in `error`.
std::map<std::string, std::vector<std::uint8_t>> read_class_bytes(
    JNIEnv* jni, const std::function<bool(const std::string& name)>& wanted, std::string& error);

}  // namespace ddm
