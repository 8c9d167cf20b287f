// Who speaks of names later on, and so has them kept when the others are dropped (NameSweep).
#pragma once

#include "stack/names/name_table.h"

namespace ddm {

class NamesUser {
 public:
  virtual ~NamesUser() = default;
  // On an attached thread, which may wait for a lock of the user's.
  virtual void add_names(NamesInUse& used) = 0;
};

}  // namespace ddm
