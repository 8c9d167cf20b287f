#include "vm/class_changes/running_methods.h"

#include <mutex>
#include <string_view>
#include <utility>

#include "core/class_names.h"
#include "vm/boot_class.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_facts.h"

namespace ddm {
namespace {

constexpr jint kMostFrames = 1024;  // a program's long-running loops are near the root of a stack
// From this release on, an old version of a method has the jmethodID of the new one.
constexpr int kOneIdForAllVersions = 26;

// Methods that were on a stack, unchanged, while their class was rewritten for anybody: such a frame's
// version shares the jmethodID of the newest one.
struct RanOn {
  std::mutex mutex;
  std::set<jmethodID> methods;
};
RanOn& ran_on() {
  static RanOn& all = *new RanOn;  // the process's exit may ask late
  return all;
}

// Calls visit(method) once for each method on the stacks of platform threads.
template <typename Visit>
void for_each_method(jvmtiEnv* jvmti, JNIEnv* jni, Visit visit) {
  JvmtiPtr<jvmtiStackInfo> stacks(jvmti);
  jint count = 0;
  if (jvmti->GetAllStackTraces(kMostFrames, stacks.out(), &count) != JVMTI_ERROR_NONE) return;
  std::set<jmethodID> visited;
  for (jint i = 0; i < count; ++i) {
    for (jint frame = 0; frame < stacks[i].frame_count; ++frame) {
      const jmethodID method = stacks[i].frame_buffer[frame].method;
      if (visited.insert(method).second) visit(method);
    }
    jni->DeleteLocalRef(stacks[i].thread);
  }
}

}  // namespace

RunningMethods::RunningMethods(jvmtiEnv* jvmti)
    : jvmti_(jvmti), versions_have_ids_(vm_feature_release(jvmti) < kOneIdForAllVersions) {}

std::size_t RunningMethods::code_hash(jmethodID method) const {
  JvmtiPtr<unsigned char> code(jvmti_);
  jint size = 0;
  // Native methods have no bytecode, and nothing is inserted into them.
  if (jvmti_->GetBytecodes(method, &size, code.out()) != JVMTI_ERROR_NONE) return 0;
  return std::hash<std::string_view>{}(
      {reinterpret_cast<const char*>(code.get()), static_cast<std::size_t>(size)});
}

std::string RunningMethods::name_of(JNIEnv* jni, jmethodID method) const {
  LocalRef<jclass> klass(jni, nullptr);
  JvmtiPtr<char> signature(jvmti_);
  JvmtiPtr<char> name(jvmti_);
  if (jvmti_->GetMethodDeclaringClass(method, klass.out()) != JVMTI_ERROR_NONE ||
      jvmti_->GetClassSignature(klass.get(), signature.out(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti_->GetMethodName(method, name.out(), nullptr, nullptr) != JVMTI_ERROR_NONE) {
    return "";
  }
  return type_name_of(text_of(signature)) + "." + std::string(text_of(name));
}

// How often the method's class has been redefined or retransformed. Class.classRedefinedCount also
// counts the changes of its superclasses.
jint RunningMethods::changes_of_class(JNIEnv* jni, jmethodID method) const {
  LocalRef<jclass> klass(jni, nullptr);
  if (change_count_ == nullptr ||
      jvmti_->GetMethodDeclaringClass(method, klass.out()) != JVMTI_ERROR_NONE) {
    return 0;
  }
  const LocalRef<jclass> super(jni, jni->GetSuperclass(klass.get()));
  const jint of_super = super ? jni->GetIntField(super.get(), change_count_) : 0;
  return jni->GetIntField(klass.get(), change_count_) - of_super;
}

void RunningMethods::before_rewriting(JNIEnv* jni) {
  if (versions_have_ids_ && change_count_ == nullptr) {
    change_count_ = find_field(jni, "java/lang/Class", "classRedefinedCount", "I");
  }
  before_.clear();
  for_each_method(jvmti_, jni, [&](jmethodID method) {
    before_[method] = {code_hash(method), changes_of_class(jni, method)};
  });
}

void RunningMethods::after_rewriting(JNIEnv* jni) {
  if (versions_have_ids_) {
    find_old_versions(jni);
  } else {
    old_names_.clear();  // of what runs on, only what has been changed now
    for (const auto& [method, before] : before_) {
      if (before.code_hash == 0 || code_hash(method) == before.code_hash) continue;
      std::string name = name_of(jni, method);
      if (!name.empty()) old_names_.insert(std::move(name));
    }
  }
  before_.clear();
}

// A version that was the newest one has, once it is changed, an id of its own.
void RunningMethods::find_old_versions(JNIEnv* jni) {
  // Those that are still on a stack are found again.
  const std::set<jmethodID> old_before = std::exchange(old_versions_, {});
  const std::lock_guard lock(ran_on().mutex);
  std::set<jmethodID> ran_on_before = std::exchange(ran_on().methods, {});
  for_each_method(jvmti_, jni, [&](jmethodID method) {
    jboolean obsolete = JNI_FALSE;
    jvmti_->IsMethodObsolete(method, &obsolete);
    const auto found = before_.find(method);
    const bool ran_on_once = ran_on_before.contains(method);
    const bool same = found == before_.end() || found->second.code_hash == code_hash(method);
    if (obsolete || (ran_on_once && (!same || old_before.contains(method)))) {
      old_versions_.insert(method);
    }
    if (obsolete || found == before_.end()) return;
    if (ran_on_once || (same && found->second.changes_of_class != changes_of_class(jni, method))) {
      ran_on().methods.insert(method);
    }
  });
}

std::vector<std::string> RunningMethods::running_in(
    JNIEnv* jni, const std::function<bool(jclass)>& is_one) const {
  std::set<std::string> running;
  for_each_method(jvmti_, jni, [&](jmethodID method) {
    LocalRef<jclass> klass(jni, nullptr);
    if (jvmti_->GetMethodDeclaringClass(method, klass.out()) != JVMTI_ERROR_NONE) return;
    jboolean native = JNI_FALSE;
    jvmti_->IsMethodNative(method, &native);
    if (!native && is_one(klass.get())) running.insert(name_of(jni, method));
  });
  return {running.begin(), running.end()};
}

std::vector<std::string> RunningMethods::still_running(JNIEnv* jni) const {
  if (old_versions_.empty() && old_names_.empty()) return {};
  std::set<std::string> running;
  for_each_method(jvmti_, jni, [&](jmethodID method) {
    if (versions_have_ids_ && !old_versions_.contains(method)) return;
    std::string name = name_of(jni, method);
    if (versions_have_ids_ || old_names_.contains(name)) running.insert(std::move(name));
  });
  return {running.begin(), running.end()};
}

}  // namespace ddm
