// WHORU: the command line and the environment of this run. CLASSMODEL: the classes of the program
// and their origins; with BINARY='true' also their class files (class_bytes_reader.h): of the
// classes that the request names, or of all.
#pragma once

#include <jvmti.h>

#include <pugixml.hpp>
#include <string>

#include "adapters/dyper/documents/request.h"

namespace ddm {

void write_run_facts(jvmtiEnv* jvmti, JNIEnv* jni, XmlWriter& xml);

// `request`: the element with OPTIONS and CLASS. `class_path`: further entries from the client.
void write_class_model(jvmtiEnv* jvmti, JNIEnv* jni, pugi::xml_node request,
                       const std::string& class_path, XmlWriter& xml, DyperErrors& errors);

}  // namespace ddm
