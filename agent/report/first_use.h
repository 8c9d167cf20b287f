// What is allocated once however often the code runs that causes it: the first use of a class, of a call
// site that is linked, of a method by reflection. It comes or does not come by what ran before, so
// whoever compares two runs sets it apart.
//
// Pure functions.
#pragma once

#include <string_view>

namespace ddm {

// Whether a stack with such a frame is of a first use: a class initialiser, a class loader, the linkage
// of invokedynamic and of method handles, what java.lang.reflect and Class keep once they have made it.
bool is_of_first_use(std::string_view class_name, std::string_view method);

}  // namespace ddm
