// Stores a class's NameId in its JVMTI tag once an object of it was recorded: retrieved in a few
// dozen nanoseconds, dropped with the class, and no reference keeps the class alive. Any thread.
#pragma once

#include <jvmti.h>

#include "core/class_names.h"
#include "stack/names/name_table.h"
#include "vm/jvmti_memory.h"

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

  // kUnknownName: no object of the class was recorded.
  static NameId known_id_of(jvmtiEnv* jvmti, jclass klass) {
    jlong tag = 0;
    return jvmti->GetTag(klass, &tag) == JVMTI_ERROR_NONE ? static_cast<NameId>(tag) : kUnknownName;
  }

 private:
  [[gnu::noinline]] NameId learn(jclass klass, jlong tag) {
    const ClassSignature signature(jvmti_, klass);
    if (!signature) return kUnknownName;
    const NameId id = names_.add_class(type_name_of(text_of(signature)));
    jvmti_->SetTag(klass, tag | id);  // on failure the next lookup tries again
    return id;
  }

  jvmtiEnv* const jvmti_;
  NameTable& names_;
};

}  // namespace ddm
