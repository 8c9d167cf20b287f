// A component that refers to names, which a sweep must not drop.
#pragma once

#include "stack/names/name_table.h"

namespace ddm {

class NamesUser {
 public:
  virtual ~NamesUser() = default;
  // On an attached thread; may wait for a lock of the component's.
  virtual void add_names(NamesInUse& used) = 0;
};

}  // namespace ddm
