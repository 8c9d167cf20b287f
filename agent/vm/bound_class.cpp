#include "vm/bound_class.h"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

#include "core/class_names.h"
#include "core/log.h"
#include "vm/boot_class.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_log.h"

namespace ddm {
namespace {

thread_local BoundClass* t_linked = nullptr;  // its second class is being linked by this thread

// The path of a second loaded copy of this library; "": none was found by name.
std::string other_copy() {
  struct Search {
    std::string_view own;
    std::string found;
  };
  Dl_info own{};
  Search search;
  if (dladdr(reinterpret_cast<const void*>(&other_copy), &own) != 0) search.own = own.dli_fname;
  const auto visit = [](dl_phdr_info* library, std::size_t, void* into) -> int {
    auto& [mine, found] = *static_cast<Search*>(into);
    const std::string_view path = library->dlpi_name;
    const bool ours = path.ends_with("/libddmagent.so") || path.ends_with("/libhprof.so");
    if (ours && path != mine) found = path;
    return found.empty() ? 0 : 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

// A class name can be defined once per loader.
std::string why_not_defined(JNIEnv* jni, const char* class_name) {
  const std::string name = dotted_name(class_name);
  const LocalRef<jclass> there(jni, find_boot_class(jni, class_name));
  if (!there) return "the VM refused to define " + name;
  const std::string path = other_copy();
  return name + " is there already: another copy of the agent is loaded" +
         (path.empty() ? "" : ", " + path) + "; load one";
}

}  // namespace

std::string BoundClass::define(JNIEnv* jni) {
  if (bound_) return "";
  if (class_ == nullptr) {
    class_ = define_boot_class(jni, file_.name, file_.bytes, file_.size);
  }
  if (class_ != nullptr && link_ == nullptr) {
    link_ = define_boot_class(jni, link_file_.name, link_file_.bytes, link_file_.size);
  }
  if (class_ == nullptr) return why_not_defined(jni, file_.name);
  if (link_ == nullptr) return why_not_defined(jni, link_file_.name);
  const std::string name = dotted_name(file_.name);
  t_linked = this;
  const jmethodID method = jni->GetStaticMethodID(class_, "link", "()V");
  if (method != nullptr) jni->CallStaticVoidMethod(class_, method);
  t_linked = nullptr;
  if (clear_exception(jni) || method == nullptr) return name + " cannot be linked";
  if (!bound_) {
    // The second class was linked without an event on this thread (seen on 27, once in many runs). It is
    // linked only once, so without this no later call could succeed either.
    log_info("{} was linked unseen", dotted_name(link_file_.name));
    const RegistrationLogOffStdout quiet(jni);
    register_natives(jni);
  }
  return bound_ ? "" : "the natives of " + name + " cannot be registered";
}

void BoundClass::prepared(JNIEnv* jni, jclass klass) {
  if (t_linked != nullptr) t_linked->bind(jni, klass);
}

void BoundClass::bind(JNIEnv* jni, jclass klass) {
  if (!bound_ && jni->IsSameObject(klass, link_)) register_natives(jni);
}

void BoundClass::register_natives(JNIEnv* jni) {
  const jint result =
      jni->RegisterNatives(class_, natives_.data(), static_cast<jint>(natives_.size()));
  bound_ = !clear_exception(jni) && result == JNI_OK;
}

}  // namespace ddm
