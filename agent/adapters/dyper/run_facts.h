// WHORU: the command line and the environment of this run.
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

// `words`: of the process; `java_command`: sun.java.command, which is `start` and the arguments,
// separated by blanks. If `words` do not end with java_command (a VM embedded in another program),
// the VM's own arguments and the property are used instead.
CommandLine command_line(const std::vector<std::string>& words, const std::string& java_command,
                         const std::vector<std::string>& vm_arguments);

// The current system properties of Java: JVMTI knows only half of them.
using Properties = std::map<std::string, std::string>;
Properties system_properties(jvmtiEnv* jvmti, JNIEnv* jni);

void write_run_facts(jvmtiEnv* jvmti, JNIEnv* jni, XmlWriter& xml);

}  // namespace ddm
