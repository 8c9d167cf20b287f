// Names as DYPATCH's documents have them -> as class files have them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ddm {

// "shop.Cart" -> "shop/Cart"
std::string internal_name(std::string_view dotted);

// "(int,java.lang.Object,long[])" -> "(ILjava/lang/Object;[J)V"; a type behind the bracket is what
// is returned. None: it is no list of types.
std::optional<std::string> method_descriptor_of(std::string_view signature);

// The other way round, as id tables show methods: "(ILjava/lang/Object;)V" ->
// "(int,java.lang.Object)".
std::string signature_of(std::string_view descriptor);

// Which methods FOR means: "total", "total(int,java.lang.String)" or "total(ILjava/lang/String;)I",
// "*" or nothing for all. None: it has brackets that are no list of types.
struct MethodChoice {
  std::string name;
  std::string descriptor;  // '*' for any result; "": any
};
std::optional<MethodChoice> method_choice(std::string_view given);

// The type of an allocation that WHEN names, an array's by its element: "shop.Cart" -> "shop/Cart",
// "int" and "int[][]" -> "I".
std::string allocated_type(std::string_view given);

// "shop.Cart.total" -> {"shop/Cart", "total"}; "total" -> {"", "total"}
struct MemberName {
  std::string owner;
  std::string name;
};
MemberName member_name(std::string_view dotted);

}  // namespace ddm
