// CLASSMODEL: the classes of the program and where they come from. With BINARY='true' their class
// files too (class_bytes_reader.h): of the classes that are named in it, or of all.
#pragma once

#include <jvmti.h>

#include <pugixml.hpp>
#include <string>
#include <vector>

#include "adapters/dyper/documents/request.h"

namespace ddm {

// `request`: what contains OPTIONS and CLASS. `class_path`: more of it, that a client has named.
void write_class_model(jvmtiEnv* jvmti, JNIEnv* jni, pugi::xml_node request,
                       const std::string& class_path, XmlWriter& xml,
                       std::vector<DyperError>& errors);

std::string base64(const std::vector<std::uint8_t>& bytes);

}  // namespace ddm
