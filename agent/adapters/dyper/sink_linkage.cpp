#include "adapters/dyper/sink_linkage.h"

#include <string_view>
#include <utility>
#include <vector>

#include "bci/descriptor.h"
#include "core/class_names.h"
#include "vm/id_creation.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

using Code = DyperErrorCode;

constexpr jint kPublic = 0x0001, kPrivate = 0x0002, kProtected = 0x0004, kStatic = 0x0008,
               kInterface = 0x0200;

// The internal name; "": unknown.
std::string name_of(jvmtiEnv* jvmti, jclass of) {
  return std::string(internal_name_of(text_of(ClassSignature(jvmti, of))));
}

}  // namespace

SinkLinkage::SinkLinkage(jvmtiEnv* jvmti, JNIEnv* jni) : jvmti_(jvmti), jni_(jni) {
  class_ = jni->FindClass("java/lang/Class");
  module_ = jni->FindClass("java/lang/Module");
  loader_ = jni->FindClass("java/lang/ClassLoader");
  if (clear_exception(jni)) return;
  for_name_ = jni->GetStaticMethodID(class_, "forName",
                                     "(Ljava/lang/String;ZLjava/lang/ClassLoader;)"
                                     "Ljava/lang/Class;");
  constructors_ =
      jni->GetMethodID(class_, "getDeclaredConstructors", "()[Ljava/lang/reflect/Constructor;");
  can_read_ = jni->GetMethodID(module_, "canRead", "(Ljava/lang/Module;)Z");
  is_exported_ = jni->GetMethodID(module_, "isExported", "(Ljava/lang/String;Ljava/lang/Module;)Z");
  is_named_ = jni->GetMethodID(module_, "isNamed", "()Z");
  parent_ = jni->GetMethodID(loader_, "getParent", "()Ljava/lang/ClassLoader;");
  system_loader_ =
      jni->GetStaticMethodID(loader_, "getSystemClassLoader", "()Ljava/lang/ClassLoader;");
  if (clear_exception(jni)) for_name_ = nullptr;
}

// Searches the classes for which the VM has recorded the loader as an initiating loader.
jclass SinkLinkage::find_loaded(const std::string& internal_name, jobject loader) {
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti_);
  if (jvmti_->GetClassLoaderClasses(loader, &count, classes.out()) != JVMTI_ERROR_NONE) {
    return nullptr;
  }
  jclass found = nullptr;
  for (jint i = 0; i < count; ++i) {
    if (found == nullptr && name_of(jvmti_, classes[i]) == internal_name) {
      found = classes[i];
    } else {
      jni_->DeleteLocalRef(classes[i]);
    }
  }
  return found;
}

jclass SinkLinkage::find(const std::string& internal_name, jobject loader) {
  if (!is_of_jdk(loader)) return find_loaded(internal_name, loader);
  const jstring name = jni_->NewStringUTF(dotted_name(internal_name).c_str());
  if (clear_exception(jni_) || name == nullptr) return nullptr;
  const jobject found = jni_->CallStaticObjectMethod(class_, for_name_, name, JNI_FALSE, loader);
  return clear_exception(jni_) ? nullptr : static_cast<jclass>(found);
}

// True: loadClass() runs no code of the program, neither in this loader nor in a parent.
bool SinkLinkage::is_of_jdk(jobject loader) const {
  while (loader != nullptr) {
    if (loader_of(jni_->GetObjectClass(loader)) != nullptr) return false;
    loader = jni_->CallObjectMethod(loader, parent_);
    if (clear_exception(jni_)) return false;
  }
  return true;
}

jobject SinkLinkage::loader_of(jclass of) const {
  jobject loader = nullptr;
  jvmti_->GetClassLoader(of, &loader);
  return loader;
}

std::string SinkLinkage::link(jclass of) {
  jint status = 0;
  jvmti_->GetClassStatus(of, &status);
  if ((status & JVMTI_CLASS_STATUS_PREPARED) == 0) {
    if (!is_of_jdk(loader_of(of)))
      return "it is not linked yet, which takes a loader of the program's";
    // This call links the class before it can throw. An exception may concern a constructor only.
    jni_->CallObjectMethod(of, constructors_);
    clear_exception(jni_);
  }
  if (jvmti_->GetClassStatus(of, &status) != JVMTI_ERROR_NONE) return "the VM does not tell of it";
  if ((status & JVMTI_CLASS_STATUS_ERROR) != 0) return "its static initialiser has failed";
  return (status & JVMTI_CLASS_STATUS_PREPARED) != 0 ? "" : "the VM does not link it";
}

bool SinkLinkage::same_package(jclass one, jclass other) const {
  const std::string name = name_of(jvmti_, one), other_name = name_of(jvmti_, other);
  const auto package_of = [](const std::string& of) { return of.substr(0, of.rfind('/') + 1); };
  return jni_->IsSameObject(loader_of(one), loader_of(other)) && !name.empty() &&
         !other_name.empty() && package_of(name) == package_of(other_name);
}

bool SinkLinkage::may_use_class(jclass caller, jclass of, const std::string& internal_name) {
  jint modifiers = 0;
  if (jvmti_->GetClassModifiers(of, &modifiers) != JVMTI_ERROR_NONE) return false;
  if (same_package(caller, of)) return true;
  // JVMTI reports an inner class's modifiers from the source; the VM treats protected as public.
  if ((modifiers & (kPublic | kProtected)) == 0) return false;
  const jobject from = jni_->GetModule(caller), to = jni_->GetModule(of);
  if (clear_exception(jni_) || from == nullptr || to == nullptr) return false;
  if (jni_->IsSameObject(from, to)) return true;
  const auto says = [&](jobject module, jmethodID question, auto... about) {
    const bool yes = jni_->CallBooleanMethod(module, question, about...);
    return !clear_exception(jni_) && yes;
  };
  bool reads = says(from, can_read_, to);
  if (!reads && !says(to, is_named_)) {
    // The VM makes a module read these two once an agent has transformed one of its classes.
    const jobject loader = loader_of(of);
    const jobject of_program = jni_->CallStaticObjectMethod(loader_, system_loader_);
    reads = !clear_exception(jni_) && (loader == nullptr || jni_->IsSameObject(loader, of_program));
  }
  const std::size_t slash = internal_name.rfind('/');
  const std::string package =
      slash == std::string::npos ? "" : dotted_name(internal_name.substr(0, slash));
  const jstring name = jni_->NewStringUTF(package.c_str());
  if (clear_exception(jni_) || name == nullptr) return false;
  return reads && says(to, is_exported_, name, from);
}

// The first match in the class and then its superclasses.
std::optional<SinkLinkage::Method> SinkLinkage::method_of(jclass of,
                                                          const bci::HookMethod& sink) const {
  for (jclass owner = of; owner != nullptr; owner = jni_->GetSuperclass(owner)) {
    jint count = 0;
    JvmtiPtr<jmethodID> methods(jvmti_);
    {
      const auto turn = id_creation::turn(jvmti_);
      if (jvmti_->GetClassMethods(owner, &count, methods.out()) != JVMTI_ERROR_NONE) return {};
    }
    for (jint i = 0; i < count; ++i) {
      JvmtiPtr<char> name(jvmti_), descriptor(jvmti_);
      jint modifiers = 0;
      if (jvmti_->GetMethodName(methods[i], name.out(), descriptor.out(), nullptr) ==
              JVMTI_ERROR_NONE &&
          text_of(name) == sink.name && text_of(descriptor) == sink.descriptor &&
          jvmti_->GetMethodModifiers(methods[i], &modifiers) == JVMTI_ERROR_NONE) {
        return Method{owner, modifiers};
      }
    }
  }
  return {};
}

bool SinkLinkage::may_call(jclass caller, const Method& method) const {
  if ((method.modifiers & kPublic) != 0) return true;
  if ((method.modifiers & kPrivate) != 0) return jni_->IsSameObject(caller, method.owner);
  if ((method.modifiers & kProtected) != 0 && jni_->IsAssignableFrom(caller, method.owner)) {
    return true;
  }
  return same_package(caller, method.owner);
}

// JVMS 5.4.3.3: a method's types must be the same classes for both loaders.
std::string SinkLinkage::two_meanings(const std::string& descriptor, jobject one, jobject other) {
  const auto parsed = bci::MethodDescriptor::parse(descriptor);
  if (!parsed || jni_->IsSameObject(one, other)) return "";
  std::vector<std::string_view> types = parsed->argument_types();
  types.push_back(parsed->result);
  for (std::string_view type : types) {
    while (type.starts_with('[')) type.remove_prefix(1);
    if (!type.starts_with('L')) continue;
    const std::string name(type.substr(1, type.size() - 2));
    const jclass for_one = find(name, one), for_other = find(name, other);
    if (for_one != nullptr && for_other != nullptr && !jni_->IsSameObject(for_one, for_other)) {
      return dotted_name(name);
    }
  }
  return "";
}

std::optional<SinkLinkage::Refusal> SinkLinkage::refusal(jclass caller,
                                                         const bci::PatchCall& call) {
  const bci::HookMethod& sink = call.sink;
  const auto no = [](Code code, std::string words) { return Refusal{code, std::move(words)}; };
  const LocalFrame frame(jni_, 256);
  if (!frame.good() || for_name_ == nullptr) return no(Code::kVerify, "the VM does not tell");
  const jobject loader = loader_of(caller);
  const jclass found = find(sink.owner, loader);
  if (found == nullptr && !is_of_jdk(loader)) {
    return no(Code::kNoClass,
              "the class's loader, which is the program's and not asked, has loaded "
              "no such class yet");
  }
  if (found == nullptr) return no(Code::kNoClass, "the class's loader finds no such class");
  jint modifiers = 0;
  jvmti_->GetClassModifiers(found, &modifiers);
  if ((modifiers & kInterface) != 0) {
    return no(Code::kVerify, dotted_name(sink.owner) + " is an interface, not a class");
  }
  if (std::string failed = link(found); !failed.empty()) {
    return no(Code::kVerify, dotted_name(sink.owner) + ": " + std::move(failed));
  }
  if (!may_use_class(caller, found, sink.owner)) {
    return no(Code::kVerify, dotted_name(sink.owner) + " is not accessible from there");
  }
  const auto method = method_of(found, sink);
  if (!method) {
    return no(Code::kVerify,
              call.conditions.empty()
                  ? "the class has no such method"
                  : "the class has no such method (the last boolean is the CONDITION's result)");
  }
  if ((method->modifiers & kStatic) == 0) return no(Code::kVerify, "it is not static");
  if (!may_call(caller, *method)) return no(Code::kVerify, "it is not accessible from there");
  const std::string type = two_meanings(sink.descriptor, loader, loader_of(method->owner));
  if (type.empty()) return {};
  return no(Code::kVerify, type + " is not the same class for the two");
}

}  // namespace ddm
