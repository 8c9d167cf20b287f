#include "adapters/dyper/link_thread.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "adapters/dyper/patching/java_names.h"
#include "adapters/dyper/sink_linkage.h"
#include "core/class_names.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// Local references for all classes: -Xcheck:jni warns if the frame's capacity is exceeded.
constexpr jint kManyRefs = 65'536;

// The loaders that have loaded a class of a given name, for class hooks that are called for another
// class of that name. Filled by one attached thread, then read on any.
class KnownLoaders {
 public:
  explicit KnownLoaders(JNIEnv* jni) { jni->GetJavaVM(&vm_); }
  KnownLoaders(const KnownLoaders&) = delete;
  KnownLoaders& operator=(const KnownLoaders&) = delete;
  ~KnownLoaders() {
    void* jni = nullptr;
    if (vm_ == nullptr || vm_->GetEnv(&jni, JNI_VERSION_10) != JNI_OK) return;
    for (const auto& [name, known] : of_name_) {
      for (const jweak one : known.loaders) static_cast<JNIEnv*>(jni)->DeleteWeakGlobalRef(one);
    }
  }

  // From now on the loaders of classes of that name are recorded.
  void add(const std::string& internal_name) { of_name_[internal_name]; }
  void add_loader(jvmtiEnv* jvmti, JNIEnv* jni, jclass klass, const std::string& internal_name) {
    const auto known = of_name_.find(internal_name);
    jobject loader = nullptr;
    if (known == of_name_.end() || jvmti->GetClassLoader(klass, &loader) != JVMTI_ERROR_NONE) {
      return;
    }
    if (loader == nullptr) {
      known->second.boot = true;
    } else if (const jweak kept = jni->NewWeakGlobalRef(loader)) {
      known->second.loaders.push_back(kept);
    }
    clear_exception(jni);  // of memory: that class gets no patches
  }
  bool may_have(JNIEnv* jni, std::string_view internal_name, jobject loader) const {
    const auto found = of_name_.find(internal_name);
    if (found == of_name_.end()) return true;
    // IsSameObject() would find the boot loader (null) equal to an unloaded loader.
    if (loader == nullptr) return found->second.boot;
    return std::ranges::any_of(found->second.loaders,
                               [&](jweak one) { return jni->IsSameObject(one, loader); });
  }

 private:
  struct Known {
    bool boot = false;
    std::vector<jweak> loaders;
  };
  JavaVM* vm_ = nullptr;
  std::map<std::string, Known, std::less<>> of_name_;
};

std::string words_of(const bci::HookMethod& sink) {
  return dotted_name(sink.owner) + "." + sink.name + signature_of(sink.descriptor);
}

// Without the agent's own sinks, which every class loader finds.
std::vector<bci::PatchCall> foreign_calls(const bci::Patch& patch) {
  std::vector<bci::PatchCall> foreign;
  for (const auto* calls : {&patch.before, &patch.after}) {
    for (const bci::PatchCall& call : *calls) {
      if (!call.sink.owner.starts_with("java/lang/DdmTracker")) foreign.push_back(call);
    }
  }
  return foreign;
}

bool any_foreign(const bci::MethodPatches& target) {
  return std::ranges::any_of(target.patches,
                             [](const bci::Patch& patch) { return !foreign_calls(patch).empty(); });
}

bool is_of_class(const bci::MethodPatches& target, const std::string& internal_name) {
  return bci::may_patch({{target}, ""}, internal_name);
}

// Further errors are dropped.
void report_left_out(DyperErrors& errors, const std::string& class_name, const std::string& sink,
                     const std::string& why, DyperErrorCode code) {
  if (errors.size() >= kMostErrors) return;
  fail(errors, "CLASS", class_name, "a call of " + sink + " is left out: " + why, code);
}

// The loaded classes with these names; several loaders may have a class of the same name.
std::multimap<std::string, jclass> classes_named(jvmtiEnv* jvmti,
                                                 const std::set<std::string>& names) {
  std::multimap<std::string, jclass> found;
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  if (jvmti->GetLoadedClasses(&count, classes.out()) != JVMTI_ERROR_NONE) return found;
  for (jint i = 0; i < count; ++i) {
    std::string name = type_name_of(text_of(ClassSignature(jvmti, classes[i])));
    if (names.contains(name)) found.emplace(std::move(name), classes[i]);
  }
  return found;
}

// A plan of the parts that link in these classes; the rest is reported.
LinkedPlan linked_plan(jvmtiEnv* jvmti, JNIEnv* jni, const bci::PatchPlan& plan,
                       const std::set<std::string>& classes, DyperErrors& errors) {
  LinkedPlan linked{{{}, plan.test_class}};
  const LocalFrame frame(jni, kManyRefs);
  SinkLinkage linkage(jvmti, jni);
  const auto of_name = classes_named(jvmti, classes);
  const auto known = std::make_shared<KnownLoaders>(jni);
  // Each class and method is reported once.
  std::map<std::pair<std::string, std::string>, bool> links;
  const auto does_link = [&](const std::string& name, const bci::PatchCall& call) {
    const auto [one, is_new] = links.try_emplace({name, words_of(call.sink)}, true);
    if (!is_new) return one->second;
    const auto [first, last] = of_name.equal_range(name);
    one->second = first != last;
    for (auto of = first; of != last && one->second; ++of) {
      const auto refused = linkage.refusal(of->second, call);
      if (!refused) continue;
      one->second = false;
      report_left_out(errors, name, one->first.second, refused->words, refused->code);
    }
    return one->second;
  };
  for (const bci::MethodPatches& target : plan.methods) {
    if (!any_foreign(target)) {
      linked.plan.methods.push_back(target);
      continue;
    }
    for (const std::string& name : classes) {
      const std::string internal = internal_name(name);
      if (!is_of_class(target, internal)) continue;
      known->add(internal);
      bci::MethodPatches part{internal, target.method, target.descriptor, {}};
      for (const bci::Patch& patch : target.patches) {
        const auto calls = foreign_calls(patch);
        if (std::ranges::all_of(
                calls, [&](const bci::PatchCall& call) { return does_link(name, call); })) {
          part.patches.push_back(patch);
        }
      }
      if (!part.patches.empty()) linked.plan.methods.push_back(std::move(part));
    }
  }
  for (const auto& [name, klass] : of_name) {
    known->add_loader(jvmti, jni, klass, internal_name(name));
  }
  linked.by_loader = [known](JNIEnv* on, std::string_view name, jobject loader) {
    return known->may_have(on, name, loader);
  };
  return linked;
}

// Reports each call of the program's methods, from each of the classes.
void report_all_left_out(const bci::PatchPlan& plan, const std::set<std::string>& classes,
                         const std::string& why, DyperErrors& errors) {
  std::set<std::pair<std::string, std::string>> reported;
  for (const bci::MethodPatches& target : plan.methods) {
    for (const bci::Patch& patch : target.patches) {
      for (const bci::PatchCall& call : foreign_calls(patch)) {
        for (const std::string& name : classes) {
          if (!is_of_class(target, internal_name(name))) continue;
          if (!reported.emplace(name, words_of(call.sink)).second) continue;
          report_left_out(errors, name, words_of(call.sink), why, DyperErrorCode::kVerify);
        }
      }
    }
  }
}

// Owns its data, since check() may have returned before the answer arrives.
struct Question {
  bci::PatchPlan plan;
  std::set<std::string> classes;
  LinkedPlan linked;
  DyperErrors errors;
  std::string failed;
};

std::string why_not(SideThread::Outcome outcome) {
  using enum SideThread::Outcome;
  return outcome == kBusy     ? "a class loader of the JDK has not answered yet"
         : outcome == kGoesOn ? "a class loader of the JDK has not answered within 3 s"
                              : "class loaders cannot be asked now";
}

}  // namespace

bci::PatchPlan without_calls_of_the_program(const bci::PatchPlan& plan) {
  bci::PatchPlan rest = plan;
  for (bci::MethodPatches& target : rest.methods) {
    std::erase_if(target.patches,
                  [](const bci::Patch& patch) { return !foreign_calls(patch).empty(); });
  }
  std::erase_if(rest.methods, [](const bci::MethodPatches& one) { return one.patches.empty(); });
  return rest;
}

LinkedPlan LinkThread::check(JNIEnv* jni, const bci::PatchPlan& plan,
                             const std::set<std::string>& classes, DyperErrors& errors) {
  if (std::ranges::none_of(plan.methods, any_foreign)) return {plan};
  const auto question = std::make_shared<Question>(Question{plan, classes, {}, {}, {}});
  const auto outcome = thread_.run(jni, [question, jvmti = jvmti_](JNIEnv* on_thread) {
    try {
      question->linked =
          linked_plan(jvmti, on_thread, question->plan, question->classes, question->errors);
    } catch (const std::exception& failure) {  // no memory
      question->failed = failure.what();
    }
  });
  const std::string failed =
      outcome == SideThread::Outcome::kDone ? question->failed : why_not(outcome);
  if (!failed.empty()) {
    report_all_left_out(plan, classes, failed, errors);
    return {without_calls_of_the_program(plan)};
  }
  std::move(question->errors.begin(), question->errors.end(), std::back_inserter(errors));
  return std::move(question->linked);
}

}  // namespace ddm
