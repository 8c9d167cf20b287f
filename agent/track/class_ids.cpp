#include "track/class_ids.h"

#include "jvm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr jlong kUnlinkedMark = jlong{1} << 32;  // above every NameId

}  // namespace

NameId ClassIds::learn(jclass klass, jlong tag) {
  JvmtiPtr<char> signature(jvmti_);
  if (jvmti_->GetClassSignature(klass, signature.out(), nullptr) != JVMTI_ERROR_NONE) {
    return kUnknownName;
  }
  const NameId id = names_.add_class(type_name_of(text_of(signature)));
  jvmti_->SetTag(klass, tag | id);  // on failure the next sight comes here again
  return id;
}

void ClassIds::mark_unlinked(jvmtiEnv* jvmti, jclass klass) {
  jlong tag = 0;
  if (jvmti->GetTag(klass, &tag) == JVMTI_ERROR_NONE) jvmti->SetTag(klass, tag | kUnlinkedMark);
}

bool ClassIds::take_unlinked_mark(jvmtiEnv* jvmti, jclass klass) {
  jlong tag = 0;
  if (jvmti->GetTag(klass, &tag) != JVMTI_ERROR_NONE || (tag & kUnlinkedMark) == 0) return false;
  jvmti->SetTag(klass, tag & ~kUnlinkedMark);
  return true;
}

}  // namespace ddm
