// jvmtiError numbers -> their names in the JVMTI specification.
#pragma once

#include <jvmti.h>

namespace ddm {

const char* jvmti_error_name(jvmtiError error);

}  // namespace ddm
