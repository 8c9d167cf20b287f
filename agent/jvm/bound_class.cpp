#include "jvm/bound_class.h"

#include "jvm/boot_class.h"
#include "jvm/jvmti_memory.h"
#include "records/name_table.h"

namespace ddm {

std::string BoundClass::define(JNIEnv* jni) {
  if (bound_) return "";
  if (class_ == nullptr) {
    class_ = define_boot_class(jni, file_.name, file_.bytes, file_.size);
  }
  if (class_ != nullptr && link_ == nullptr) {
    link_ = define_boot_class(jni, link_file_.name, link_file_.bytes, link_file_.size);
  }
  const std::string name = dotted_name(file_.name);
  if (class_ == nullptr || link_ == nullptr) return "the VM refused to define " + name;
  linking_ = true;
  const jmethodID method = jni->GetStaticMethodID(class_, "link", "()V");
  if (method != nullptr) jni->CallStaticVoidMethod(class_, method);
  linking_ = false;
  if (clear_exception(jni) || method == nullptr) return name + " cannot be linked";
  return bound_ ? "" : "the natives of " + name + " cannot be registered";
}

void BoundClass::prepared(JNIEnv* jni, jclass klass) {
  if (!linking_ || bound_ || !jni->IsSameObject(klass, link_)) return;
  const jint result =
      jni->RegisterNatives(class_, natives_.data(), static_cast<jint>(natives_.size()));
  bound_ = !clear_exception(jni) && result == JNI_OK;
}

}  // namespace ddm
