// The class files of loaded classes as retransformation passes them to ClassFileLoadHook:
// reconstituted by the VM (JVMTI RetransformClasses), with methods in another order and with the
// changes of this agent and others.
//
// Each retransformation discards the class's compiled code, so `wanted` should match few classes.
// Attached threads, without locks that a class hook needs.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ddm {

// Class files by name, "a.b.C", of the classes for which `wanted` is true; a class that the VM does
// not pass on is missing. `error`: why nothing could be read.
std::map<std::string, std::vector<std::uint8_t>> read_class_bytes(
    JNIEnv* jni, const std::function<bool(const std::string& name)>& wanted, std::string& error);

}  // namespace ddm
