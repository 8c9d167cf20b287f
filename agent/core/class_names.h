// Class names in three forms: for people ("java.lang.String", "int[][]"), descriptors
// ("Ljava/lang/String;", "[[I"; JVMS 4.3.2) and internal names ("java/lang/String", JVMS 4.2.1). A
// hidden class is "a.B$$Lambda/0x12" in Class.getTypeName() and "La/B$$Lambda.0x12;" in JVMTI's
// GetClassSignature. Pure functions, defined for any text.
#pragma once

#include <string>
#include <string_view>

namespace ddm {

// "Ljava/lang/String;" -> "java.lang.String", "[[I" -> "int[][]", and for a hidden class
// "La/B$$Lambda.0x12;" -> "a.B$$Lambda/0x12". Text that is no signature is returned unchanged.
std::string type_name_of(std::string_view signature);

// "Ljava/util/List;" -> "java/util/List".
std::string_view internal_name_of(std::string_view signature);

// "java/util/List" -> "java.util.List", and the inverse.
std::string dotted_name(std::string_view internal_name);
std::string internal_name(std::string_view dotted_name);

// Of a heap dump: "[I" -> "int[]", "java/util/List" -> "java.util.List", and for a hidden class
// "a/B$$Lambda+0x12" -> "a.B$$Lambda/0x12".
std::string type_name_in_dump(std::string_view name);

// "int[][]" -> "[[I".
std::string descriptor_of(std::string_view type_name);

inline constexpr std::string_view kClassObject = "java.lang.Class";
// A lock that is the Class object of `type_name`, in jstack's words: "java.lang.Class for a.B".
std::string class_object_name(std::string_view type_name);

// The parameters of a method's descriptor, without packages: "(ILjava/util/List;)V" -> "(int,List)".
std::string simple_parameters(std::string_view descriptor);

// What a pattern that matches no method may have meant, as a question: without a package ("total",
// "Cart.total"), or with a dot before a nested class ("shop.Cart.Row.total"). "": no idea.
std::string meant_pattern(std::string_view pattern);
// `text`, that nothing matches the pattern, with that question if there is one.
std::string with_meant_pattern(std::string text, std::string_view pattern);

}  // namespace ddm
