// The elements that each command knows. An unknown element is reported; otherwise a misspelled one
// would look as if it had been carried out. Pure.
#pragma once

#include "adapters/dyper/documents/request.h"

namespace ddm {

// Adds an error for each element that the command does not know at that place. False: the document
// has elements and all are unknown, so the command must not run: a CLEAR of an unknown element is
// not a CLEAR of everything.
bool check_elements(const DyperRequest& request, DyperErrors& errors);

}  // namespace ddm
