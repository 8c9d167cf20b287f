// Which elements each command knows. One that it does not know is told of, or a slip of the pen would
// look like a document that was carried out. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "adapters/dyper/documents/request.h"

namespace ddm {

// An error for each element that the command does not know where it stands. False: there are
// elements in the document, and it knows none of them, so that nothing is to be done: a CLEAR of an
// unknown element is not a CLEAR of everything.
bool check_elements(const DyperRequest& request, std::vector<DyperError>& errors);

}  // namespace ddm
