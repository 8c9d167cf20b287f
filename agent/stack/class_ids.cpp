#include "stack/class_ids.h"

#include "core/class_names.h"
#include "vm/jvmti_memory.h"

namespace ddm {
NameId ClassIds::learn(jclass klass, jlong tag) {
  JvmtiPtr<char> signature(jvmti_);
  if (jvmti_->GetClassSignature(klass, signature.out(), nullptr) != JVMTI_ERROR_NONE) {
    return kUnknownName;
  }
  const NameId id = names_.add_class(type_name_of(text_of(signature)));
  jvmti_->SetTag(klass, tag | id);  // on failure the next lookup tries again
  return id;
}

NameId ClassIds::known_id_of(jvmtiEnv* jvmti, jclass klass) {
  jlong tag = 0;
  return jvmti->GetTag(klass, &tag) == JVMTI_ERROR_NONE ? static_cast<NameId>(tag) : kUnknownName;
}

}  // namespace ddm
