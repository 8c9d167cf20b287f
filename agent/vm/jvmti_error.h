// jvmtiError numbers -> their names in the JVMTI specification.
#pragma once

#include <jvmti.h>

#include <string>

namespace ddm {

const char* jvmti_error_name(jvmtiError error);

// "WHAT: NAME"; "" for JVMTI_ERROR_NONE.
std::string jvmti_failure(const char* what, jvmtiError error);

}  // namespace ddm
