// Class names for people ("java.lang.String", "int[][]") and as REAL has them, which is as
// descriptors ("Ljava/lang/String;", "[[I"; JVMS 4.3.2). A hidden class is "a.B$$Lambda/0x12", as
// getTypeName() says, and "La/B$$Lambda.0x12;". Pure functions on any text.
#pragma once

#include <string>
#include <string_view>

namespace ddm {

std::string descriptor_of(std::string_view type_name);

// A text that is no descriptor comes back as it is: other VMs send dotted names.
std::string type_name_of_descriptor(std::string_view descriptor);

}  // namespace ddm
