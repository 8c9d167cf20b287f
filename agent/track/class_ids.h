// What a class mirror's JVMTI tag holds: the class's NameId once an object of it was recorded,
// found again in a few dozen nanoseconds, gone with the class, no reference that could keep it
// alive; and a mark on classes that were not linked yet when the others were rewritten. Any thread.
#pragma once

#include <jvmti.h>

#include "records/name_table.h"

namespace ddm {

class ClassIds {
 public:
  ClassIds(jvmtiEnv* jvmti, NameTable& names) : jvmti_(jvmti), names_(names) {}

  NameId id_of(jclass klass) {
    jlong tag = 0;
    if (jvmti_->GetTag(klass, &tag) == JVMTI_ERROR_NONE && static_cast<NameId>(tag) != 0) {
      return static_cast<NameId>(tag);
    }
    return learn(klass, tag);
  }

  static void mark_unlinked(jvmtiEnv* jvmti, jclass klass);
  // Whether the mark was there; it is gone now.
  static bool take_unlinked_mark(jvmtiEnv* jvmti, jclass klass);

 private:
  NameId learn(jclass klass, jlong tag);

  jvmtiEnv* const jvmti_;
  NameTable& names_;
};

}  // namespace ddm
