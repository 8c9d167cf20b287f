#include "vm/class_changes/class_hooks.h"

#include <algorithm>

#include "bci/class_file.h"
#include "core/class_names.h"
#include "core/log.h"
#include "vm/boot_class.h"
#include "vm/jvmti_environment.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// Returns class bytes from a ClassFileLoadHook: in memory from JVMTI Allocate, which the VM frees.
// False: no memory, and the class keeps its bytes.
bool give_class_bytes(jvmtiEnv* jvmti, bci::ByteSpan bytes, jint* new_length,
                      unsigned char** new_bytes) {
  unsigned char* memory = nullptr;
  if (jvmti->Allocate(static_cast<jlong>(bytes.size()), &memory) != JVMTI_ERROR_NONE) return false;
  std::ranges::copy(bytes, memory);
  *new_length = static_cast<jint>(bytes.size());
  *new_bytes = memory;
  return true;
}

// JVMTI passes a null name for some classes that are being defined.
std::string name_in(bci::ByteSpan class_file) {
  bci::SkipReason why{};
  const auto file = bci::ClassFile::parse(class_file, why);
  return file ? std::string(file->name) : "";
}

}  // namespace

// Keeps ClassFileLoadHook enabled during its lifetime.
class ClassHooks::HookOn {
 public:
  explicit HookOn(ClassHooks& hooks) : hooks_(hooks) { change(1); }
  ~HookOn() { change(-1); }
  HookOn(const HookOn&) = delete;
  HookOn& operator=(const HookOn&) = delete;

 private:
  void change(int by) {
    const std::lock_guard lock(hooks_.mutex_);
    hooks_.at_work_ += by;
    if (std::string error = hooks_.set_events(); !error.empty()) log_error("{}", error);
  }
  ClassHooks& hooks_;
};

ClassHooks* ClassHooks::of_process(JNIEnv* jni, std::string& error) {
  static std::mutex& creating = *new std::mutex;
  static ClassHooks* hooks = nullptr;  // never deleted
  const std::lock_guard lock(creating);
  if (hooks == nullptr) hooks = create(jni, error);
  return hooks;
}

ClassHooks* ClassHooks::create(JNIEnv* jni, std::string& error) {
  error = why_unchangeable();
  if (!error.empty()) return nullptr;
  JvmtiEnvironment jvmti = make_jvmti_environment(jni);
  if (jvmti == nullptr) {
    error = "the VM gives no further JVMTI environment";
    return nullptr;
  }
  jvmtiCapabilities wanted{};
  wanted.can_retransform_classes = 1;
  wanted.can_get_constant_pool = 1;
  wanted.can_get_bytecodes = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassFileLoadHook = ClassFileLoadHook;
  callbacks.ClassPrepare = ClassPrepare;
  std::unique_ptr<ClassHooks> hooks(new ClassHooks(jvmti.get(), jni));
  error = jvmti_failure("classes cannot be retransformed",
                        prepare_environment(jvmti, wanted, callbacks, hooks.get()));
  if (!error.empty()) return nullptr;
  static_cast<void>(jvmti.release());
  const LocalRef<jobject> platform(
      jni, static_object(jni, "java/lang/ClassLoader", "getPlatformClassLoader",
                         "()Ljava/lang/ClassLoader;"));
  if (platform) hooks->platform_loader_ = jni->NewGlobalRef(platform.get());
  return hooks.release();
}

ClassHooks::ClassHooks(jvmtiEnv* jvmti, JNIEnv* jni)
    : jvmti_(jvmti), hooked_(jvmti), redefined_(jvmti, jni), archived_calls_(jvmti) {}

std::shared_ptr<const ClassHooks::Rewritings> ClassHooks::rewritings() const {
  const std::lock_guard lock(mutex_);
  return rewritings_;
}

std::string ClassHooks::set_event(jvmtiEvent event, bool on) {
  return jvmti_failure(
      "switching the class events",
      jvmti_->SetEventNotificationMode(on ? JVMTI_ENABLE : JVMTI_DISABLE, event, nullptr));
}

// Lock held. ClassPrepare stays enabled while a changed class is not linked: it is restored when
// linked. Where redefinitions have to be remembered the hook stays, too, once it was enabled.
std::string ClassHooks::set_events() {
  const bool hook =
      stays_ || at_work_ > 0 ||
      std::ranges::any_of(*rewritings_, [](const auto* one) { return one->wants_new(); });
  stays_ = hook && redefined_.needed();
  if (hook) {
    std::string error = set_event(JVMTI_EVENT_CLASS_PREPARE, true);
    return error.empty() ? set_event(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, true) : error;
  }
  std::string error = set_event(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, false);
  if (hooked_.keep_changed()) return error;
  const std::string of_links = set_event(JVMTI_EVENT_CLASS_PREPARE, false);
  return error.empty() ? of_links : error;
}

// Lock held.
void ClassHooks::change(bool on, ClassRewriting& rewriting) {
  Rewritings changed = *rewritings_;
  std::erase(changed, &rewriting);
  if (on) {
    const auto behind = std::ranges::find_if(
        changed, [&](const auto* other) { return other->order() > rewriting.order(); });
    changed.insert(behind, &rewriting);
  }
  rewritings_ = std::make_shared<const Rewritings>(std::move(changed));
}

std::string ClassHooks::switch_on(ClassRewriting& rewriting) {
  const std::lock_guard lock(mutex_);
  change(true, rewriting);
  std::string error = set_events();
  if (error.empty()) return "";
  change(false, rewriting);
  set_events();
  return error;
}

std::string ClassHooks::switch_off(ClassRewriting& rewriting) {
  const std::lock_guard lock(mutex_);
  change(false, rewriting);
  return set_events();
}

// The natives are bound in ClassPrepare.
std::string ClassHooks::define(JNIEnv* jni, BoundClass& own) {
  const HookOn on(*this);
  return own.define(jni);
}

bool ClassHooks::is_class(JNIEnv* jni, jclass klass, const IsClass& is_it) const {
  const ClassSignature signature(jvmti_, klass);
  LocalRef<jobject> loader(jni, nullptr);
  return signature && jvmti_->GetClassLoader(klass, loader.out()) == JVMTI_ERROR_NONE &&
         is_it(internal_name_of(text_of(signature)), is_platform_loader(jni, loader.get()));
}

Retransformer ClassHooks::retransformer(std::vector<ClassChange*> of, Needs needs) const {
  return {jvmti_,
          [this, of, needs = std::move(needs)](JNIEnv* jni, jclass klass) {
            return is_class(jni, klass, [&](std::string_view name, bool is_platform) {
              if (needs) return needs(klass, name, is_platform);
              return std::ranges::any_of(of, [&](ClassChange* one) {
                return one->needs_change(klass, name, is_platform);
              });
            });
          },
          [of](const std::string& reason, std::string_view signature) {
            for (ClassChange* const one : of) {
              signature.empty() ? one->incomplete(reason)
                                : one->refused(internal_name_of(signature), reason);
            }
          }};
}

// The generation is incremented before the classes are listed: a class linked after that is seen to
// be of an older generation, a class linked before that is in the list of loaded classes.
Retransformer::Totals ClassHooks::retransform(JNIEnv* jni, ClassChange& change, Needs needs) {
  const HookOn on(*this);
  hooked_.begin_generation();
  return retransformer({&change}, std::move(needs)).all_loaded(jni);
}

void ClassHooks::retransform(ClassChange& change, std::span<const jclass> these) {
  const HookOn on(*this);
  retransformer({&change}).these(these);
}

void ClassHooks::for_each_changeable(JNIEnv* jni, const IsClass& visit) const {
  retransformer({}, [&](jclass, std::string_view name, bool is_platform) {
    visit(name, is_platform);
    return false;
  }).all_loaded(jni);
}

void ClassHooks::linked(JNIEnv* jni, jclass klass) {
  const auto passed = hooked_.take(jni, klass);
  if (passed && passed->is_current) return;
  const auto all = rewritings();
  const bool again = passed && passed->changed;
  if (again || !all->empty()) {
    retransformer({all->begin(), all->end()}).linked(jni, klass, again);
  }
}

bool ClassHooks::is_platform_loader(JNIEnv* jni, jobject loader) const {
  return loader == nullptr ||
         (platform_loader_ != nullptr && jni->IsSameObject(loader, platform_loader_));
}

// If one rewriting fails, the others still apply.
std::optional<bci::Bytes> ClassHooks::rewrite(JNIEnv* jni, const LoadingClass& loading,
                                              bci::ByteSpan file) {
  std::optional<bci::Bytes> rewritten;
  const auto all = rewritings();
  for (ClassRewriting* const one : *all) {
    guarded("in ClassFileLoadHook", [&] {
      if (!one->may_want(loading.internal_name, loading.is_platform)) return;
      auto next = one->rewrite(jni, loading, rewritten ? bci::ByteSpan(*rewritten) : file);
      if (next) rewritten = std::move(next);
    });
  }
  return rewritten;
}

std::optional<bci::Bytes> ClassHooks::redefined_file(JNIEnv* jni, jclass klass,
                                                     std::string_view name, jobject loader,
                                                     bci::ByteSpan file) {
  if (!redefined_.needed()) return {};
  const HookedClasses::Key key = hooked_.key_of(name, loader);
  if (Retransformer::on_this_thread()) return redefined_.current(jni, klass, key);
  redefined_.redefining(jni, klass, key, file);
  return {};
}

void JNICALL ClassHooks::ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass being_redefined,
                                           jobject loader, const char* given_name, jobject,
                                           jint length, const unsigned char* bytes,
                                           jint* new_length, unsigned char** new_bytes) {
  ClassHooks* const hooks = object_of<ClassHooks>(jvmti);
  if (hooks == nullptr) return;
  guarded("in ClassFileLoadHook", [&] {
    const bci::ByteSpan file(bytes, static_cast<std::size_t>(length));
    const std::string name = given_name != nullptr ? given_name : name_in(file);
    const bool is_new = being_redefined == nullptr;
    const HookedClasses::Key key = is_new ? hooks->hooked_.add(name, loader) : 0;
    const bool is_platform = hooks->is_platform_loader(jni, loader);
    std::optional<bci::Bytes> redefined;
    if (!is_new) redefined = hooks->redefined_file(jni, being_redefined, name, loader, file);
    auto rewritten = hooks->rewrite(jni, {name, loader, is_platform, is_new},
                                    redefined ? bci::ByteSpan(*redefined) : file);
    if (!rewritten) rewritten = std::move(redefined);
    if (!rewritten) {
      if (!is_new) return;
      hooks->hooked_.mark_unchanged(key);
      if (!hooks->archived_calls_.may_be_in(name, loader)) return;
    }
    if (give_class_bytes(jvmti, rewritten ? *rewritten : file, new_length, new_bytes)) return;
    const auto all = hooks->rewritings();
    for (ClassRewriting* const one : *all) one->incomplete("out of memory");
  });
}

void JNICALL ClassHooks::ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass klass) {
  ClassHooks* const hooks = object_of<ClassHooks>(jvmti);
  if (hooks == nullptr) return;
  guarded("in ClassPrepare", [&] {
    BoundClass::prepared(jni, klass);
    hooks->linked(jni, klass);
  });
}

}  // namespace ddm
