// WHORU: the command line and the environment of this run.
#pragma once

#include <jvmti.h>

#include <map>
#include <string>

#include "adapters/dyper/documents/xml_writer.h"

namespace ddm {

// The current system properties of Java: JVMTI knows only half of them.
using Properties = std::map<std::string, std::string>;
Properties system_properties(jvmtiEnv* jvmti, JNIEnv* jni);

void write_run_facts(jvmtiEnv* jvmti, JNIEnv* jni, XmlWriter& xml);

}  // namespace ddm
