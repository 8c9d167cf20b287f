// Test agent: rewrites every class of a running JVM with all transformations at once.
//
// Option: a hook of EveryHook; default = all; none = look at each class but change nothing (the
// control run); everywhere = all, and a call before and behind each instruction; wide = all, and
// every branch in its long form; patches = every site of every method patched with all values there
// are; broken = spoil two classes, so that run.sh sees that spoilt code
// is refused. At VMInit the hook class is defined into java.base with empty methods, the load hook
// is switched on, and what is loaded already is retransformed. Sweep.java then loads and links all
// the rest and asks for the counts.
#include <jni.h>
#include <jvmti.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "bci/tool/every_hook.h"
#include "bci/tool/every_patch.h"
#include "class_builder.h"

namespace {

constexpr const char* kHookClass = "java/lang/DdmTracker";

struct Counts {
  std::mutex mutex;
  long seen = 0, changed = 0, retransform_errors = 0;
  std::map<std::string, long> skipped, patched;
};

Counts g_counts;
// Never deleted: the load hook runs until the process ends.
std::vector<const bci::Transformation*>* g_hooks;
bci::RewriteOptions g_options;
bci::PatchPlan* g_plan;  // null: hooks, not patches
bci::PatchIds* g_ids;

// What no transformation may do: hands out `this` before super() has made it an object.
class BrokenHook : public bci::Transformation {
 public:
  bool holds_hook(std::string_view) const override { return false; }
  void apply(bci::ClassContext& context) const override {
    if (context.name() != "Sweep$Victim" && context.name() != "java/util/zip/Adler32") return;
    for (bci::MethodContext& method : context.methods()) {
      bci::CodeEditor* editor = method.editor();
      if (editor == nullptr || !method.outline().is_constructor()) continue;
      editor->at_entry(
          editor->snippet().aload_0().call({kHookClass, "object", "(Ljava/lang/Object;)V"}));
    }
  }
};

// Makes code three times as long: every place there is, and thousands of outgrown branches.
class EverywhereHook : public bci::Transformation {
 public:
  bool holds_hook(std::string_view class_name) const override { return class_name == kHookClass; }
  void apply(bci::ClassContext& context) const override {
    for (bci::MethodContext& method : context.methods()) {
      bci::CodeEditor* editor = method.editor();
      if (editor == nullptr) continue;
      const bci::Code& code = editor->code();
      for (bci::Label label = 0; label < code.end_label(); ++label) {
        const bci::Snippet nothing = editor->snippet().call({kHookClass, "nothing", "()V"});
        editor->before(label, nothing);
        const bool has_behind =
            code.falls_through(label) && code.instructions[label].target == bci::kNoLabel;
        if (has_behind) editor->after(label, nothing);
      }
    }
  }
};

bci::Bytes hook_class() {
  bci::test::ClassBuilder cls(kHookClass, 52);
  for (const auto& [name, descriptor] : bci::every_patch_sinks()) {
    bci::test::MethodBuilder& sink =
        cls.method(bci::test::kPublic | bci::test::kStatic, name, descriptor).locals(6).stack(2);
    if (descriptor.ends_with('V')) {
      sink.op({0xb1});
    } else if (descriptor.ends_with('J')) {
      sink.op({0x09, 0xad});  // lconst_0 lreturn
    } else {
      sink.op({0x03, 0xac});  // iconst_0 ireturn
    }
  }
  for (const auto& [name, descriptor] : bci::EveryHook::hooks()) {
    cls.method(bci::test::kPublic | bci::test::kStatic, name, descriptor).locals(2).op({0xb1});
  }
  cls.method(bci::test::kPublic | bci::test::kStatic, "nothing", "()V").op({0xb1});
  return cls.build();
}

void JNICALL ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv*, jclass, jobject, const char*, jobject,
                               jint length, const unsigned char* bytes, jint* new_length,
                               unsigned char** new_bytes) {
  const bci::ByteSpan span(bytes, static_cast<std::size_t>(length));
  bci::PatchResult patched;
  if (g_plan != nullptr) patched = bci::patch_class(span, *g_plan, *g_ids);
  const bci::RewriteResult result =
      g_plan != nullptr ? std::move(patched.rewrite) : bci::rewrite(span, *g_hooks, g_options);
  const std::lock_guard lock(g_counts.mutex);
  ++g_counts.seen;
  for (const bci::PatchedMethod& method : patched.methods) {
    for (const bci::PatchedSite& site : method.sites) {
      ++g_counts.patched[std::string(to_string(site.kind))];
    }
  }
  for (const bci::RefusedSite& site : patched.refused) {
    // Values that some place or other does not have, as planned.
    if (site.reason == bci::SkipReason::kNoValue || site.reason == bci::SkipReason::kNoCode ||
        site.reason == bci::SkipReason::kNoSuchVariable ||
        site.reason == bci::SkipReason::kStaticMethod ||
        site.reason == bci::SkipReason::kTypeMismatch) {
      continue;
    }
    ++g_counts.skipped[std::string(to_string(site.kind)) + " " +
                       std::string(to_string(site.reason)) + " (" + site.detail + ")"];
  }
  if (result.status == bci::RewriteStatus::kSkipped) {
    ++g_counts.skipped["class " + std::string(to_string(result.reason))];
  }
  for (const bci::SkippedMethod& method : result.skipped) {
    ++g_counts.skipped["method " + std::string(to_string(method.reason)) +
                       (method.transformation.empty() ? "" : " (" + method.transformation + ")")];
  }
  if (result.status != bci::RewriteStatus::kChanged) return;
  if (jvmti->Allocate(static_cast<jlong>(result.bytes.size()), new_bytes) != JVMTI_ERROR_NONE) {
    return;
  }
  std::memcpy(*new_bytes, result.bytes.data(), result.bytes.size());
  *new_length = static_cast<jint>(result.bytes.size());
  ++g_counts.changed;
}

// One class that fails makes its batch fail: halve it until it is alone.
void retransform(jvmtiEnv* jvmti, const jclass* classes, std::size_t count) {
  if (count == 0) return;
  const jvmtiError error = jvmti->RetransformClasses(static_cast<jint>(count), classes);
  if (error == JVMTI_ERROR_NONE) return;
  if (count > 1) {
    retransform(jvmti, classes, count / 2);
    retransform(jvmti, classes + count / 2, count - count / 2);
    return;
  }
  char* signature = nullptr;
  jvmti->GetClassSignature(classes[0], &signature, nullptr);
  fprintf(stderr, "sweep: retransform of %s: error %d\n", signature ? signature : "?", error);
  const std::lock_guard lock(g_counts.mutex);
  ++g_counts.retransform_errors;
}

void JNICALL VMInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread) {
  const bci::Bytes hooks = hook_class();
  const jclass tracker =
      jni->DefineClass(kHookClass, nullptr, reinterpret_cast<const jbyte*>(hooks.data()),
                       static_cast<jsize>(hooks.size()));
  if (tracker == nullptr) {
    jni->ExceptionDescribe();
    jni->FatalError("sweep: the hook class cannot be defined");
  }
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr);
  jint count = 0;
  jclass* classes = nullptr;
  if (jvmti->GetLoadedClasses(&count, &classes) != JVMTI_ERROR_NONE) return;
  std::vector<jclass> modifiable;
  for (jint i = 0; i < count; ++i) {
    jboolean can = JNI_FALSE;
    if (jvmti->IsModifiableClass(classes[i], &can) == JVMTI_ERROR_NONE && can) {
      modifiable.push_back(classes[i]);
    }
  }
  retransform(jvmti, modifiable.data(), modifiable.size());
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(classes));
}

}  // namespace

// "name count" lines, for Sweep.java.
extern "C" JNIEXPORT jstring JNICALL Java_Sweep_counts(JNIEnv* jni, jclass) {
  const std::lock_guard lock(g_counts.mutex);
  std::string text = "rewriter saw " + std::to_string(g_counts.seen) + "\nrewritten " +
                     std::to_string(g_counts.changed) + "\nretransform errors " +
                     std::to_string(g_counts.retransform_errors) + "\n";
  for (const auto& [reason, count] : g_counts.skipped) {
    text += "skipped " + reason + " " + std::to_string(count) + "\n";
  }
  for (const auto& [site, count] : g_counts.patched) {
    text += "patched " + site + " " + std::to_string(count) + "\n";
  }
  return jni->NewStringUTF(text.c_str());
}

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  const std::string hook = options == nullptr || *options == '\0' ? "all" : options;
  g_hooks = new std::vector<const bci::Transformation*>;
  if (hook == "broken") {
    g_hooks->push_back(new BrokenHook);
  } else if (hook == "patches") {
    g_plan = new bci::PatchPlan(bci::every_patch(kHookClass));
    g_ids = new bci::HashedIds;
  } else if (hook != "none") {
    auto* every = new bci::EveryHook(kHookClass);
    if (!every->add(hook == "everywhere" || hook == "wide" ? "all" : hook)) {
      fprintf(stderr, "sweep: no hook %s\n", hook.c_str());
      return JNI_ERR;
    }
    g_hooks->assign(every->chosen().begin(), every->chosen().end());
    g_options.widen_all = g_options.reencode_all = hook == "wide";
    if (hook == "everywhere") g_hooks->push_back(new EverywhereHook);
  }
  jvmtiCapabilities capabilities{};
  capabilities.can_retransform_classes = 1;
  capabilities.can_generate_all_class_hook_events = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassFileLoadHook = ClassFileLoadHook;
  callbacks.VMInit = VMInit;
  if (jvmti->AddCapabilities(&capabilities) != JVMTI_ERROR_NONE ||
      jvmti->SetEventCallbacks(&callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
      jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, nullptr) !=
          JVMTI_ERROR_NONE) {
    return JNI_ERR;
  }
  return JNI_OK;
}
