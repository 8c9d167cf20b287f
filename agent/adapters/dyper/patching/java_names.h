// Converts names between the forms of DYPATCH's documents and of class files. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ddm {

// "(int,java.lang.Object,long[])" -> "(ILjava/lang/Object;[J)V"; a type after the bracket is the
// return type. None: not a list of types.
std::optional<std::string> method_descriptor_of(std::string_view signature);

// The inverse, for id tables: "(ILjava/lang/Object;)V" -> "(int,java.lang.Object)".
std::string signature_of(std::string_view descriptor);

// The methods that FOR selects: "total", "total(int,java.lang.String)" or
// "total(ILjava/lang/String;)I"; "*" or "": all. None: the brackets hold no list of types.
struct MethodChoice {
  std::string name;
  std::string descriptor;  // '*' for any result; "": any
};
std::optional<MethodChoice> method_choice(std::string_view given);

// The allocated type that WHEN names, for an array its element type: "shop.Cart" -> "shop/Cart",
// "int" and "int[][]" -> "I".
std::string allocated_type(std::string_view given);

// "shop.Cart.total" -> {"shop/Cart", "total"}; "total" -> {"", "total"}
struct MemberName {
  std::string owner;
  std::string name;
};
MemberName member_name(std::string_view dotted);

}  // namespace ddm
