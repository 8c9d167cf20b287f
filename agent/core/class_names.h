// Names of classes: for people ("java.lang.String", "int[][]"), as descriptors ("Ljava/lang/String;",
// "[[I"; JVMS 4.3.2) and internal ("java/lang/String", JVMS 4.2.1). A hidden class is
// "a.B$$Lambda/0x12" as Class.getTypeName() says, and "La/B$$Lambda.0x12;" as JVMTI's
// GetClassSignature does. Pure functions on any text.
#pragma once

#include <string>
#include <string_view>

namespace ddm {

// "Ljava/lang/String;" -> "java.lang.String", "[[I" -> "int[][]". The signature of a hidden class,
// "La/B$$Lambda.0x12;" (JVMTI GetClassSignature), becomes "a.B$$Lambda/0x12" as getTypeName() says.
// Anything that is not a signature comes back unchanged.
std::string type_name_of(std::string_view signature);

// "Ljava/util/List;" -> "java/util/List".
std::string_view internal_name_of(std::string_view signature);

// "java/util/List" -> "java.util.List".
std::string dotted_name(std::string_view internal_name);

// "int[][]" -> "[[I".
std::string descriptor_of(std::string_view type_name);

}  // namespace ddm
