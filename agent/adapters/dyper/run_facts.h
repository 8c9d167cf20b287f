// WHORU: how this run was started, and in what surroundings.
#pragma once

#include <jvmti.h>

#include <map>
#include <string>
#include <vector>

#include "adapters/dyper/documents/xml_writer.h"

namespace ddm {

struct CommandLine {
  std::vector<std::string> java_arguments;  // an option and its separate value are one
  std::string start;                        // main class, jar or module
  std::vector<std::string> arguments;
};

// `words`: the process's; `java_command`: sun.java.command, which is the start and what follows it
// with blanks between. Where the words do not end that way (a VM inside another program), the VM's
// own arguments and what the property says have to do.
CommandLine command_line(const std::vector<std::string>& words, const std::string& java_command,
                         const std::vector<std::string>& vm_arguments);

// As the program has them now: the VM alone knows half of them.
using Properties = std::map<std::string, std::string>;
Properties system_properties(jvmtiEnv* jvmti, JNIEnv* jni);

void write_run_facts(jvmtiEnv* jvmti, JNIEnv* jni, XmlWriter& xml);

}  // namespace ddm
