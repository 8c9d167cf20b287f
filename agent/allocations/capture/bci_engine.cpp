#include "allocations/capture/bci_engine.h"

#include <algorithm>
#include <exception>
#include <string_view>

#include "core/log.h"
#include "vm/class_changes/untouchable_classes.h"
#include "vm/class_methods.h"
#include "vm/id_creation.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// The innermost frames inside a hook: the Tracker's native and the Tracker.
constexpr jint kTrackerFrames = 2;

// Whether a virtual call of clone() on an object of this class reaches Object.clone(), which allocates
// the copy, or an override. Only the former may be counted at the call: an override allocates by its
// own, hooked super.clone(). GetMethodID selects the same method as a virtual call: the class's own or
// the nearest inherited one.
bool is_cloned_by_vm(jvmtiEnv* jvmti, JNIEnv* jni, jclass klass) {
  const jmethodID method = jni->GetMethodID(klass, "clone", "()Ljava/lang/Object;");
  if (clear_exception(jni) || method == nullptr) return false;
  jboolean native = JNI_FALSE;
  return jvmti->IsMethodNative(method, &native) == JVMTI_ERROR_NONE && native == JNI_TRUE;
}

}  // namespace

BciEngine::BciEngine(jvmtiEnv* jvmti, Recorder& recorder, RewrittenMethods& rewritten)
    : jvmti_(jvmti),
      recorder_(recorder),
      rewriter_(rewritten),
      tracker_(jvmti, *this),
      running_(jvmti) {}

std::string BciEngine::prepare(JNIEnv* jni) {
  if (rewritten_) return "";
  std::string error;
  ClassHooks* const hooks = ClassHooks::of_process(jni, error);
  if (hooks == nullptr) return error;
  backtrace_.find_fields(jni);
  recorder_.methods().find_super_calls();
  // The Tracker first: an unresolvable hook would make every `new` throw.
  error = hooks->define(jni, tracker_.bound());
  // Then the class hook, so that no class is missed between enabling it and listing the classes.
  if (error.empty()) error = hooks->switch_on(*this);
  if (!error.empty()) return error;
  running_.before_rewriting(jni);
  const Retransformer::Totals totals = hooks->retransform(jni, *this);
  running_.after_rewriting(jni);
  recorder_.methods().forget_all();
  rewritten_ = true;
  log_info("{} of {} loaded classes rewritten, {} not linked yet, longest batch {:.0f} ms",
           totals.retransformed, totals.loaded, totals.unlinked, totals.longest_batch_ms);
  return "";
}

EngineCounters BciEngine::counters(JNIEnv* jni) const {
  EngineCounters counters = rewriter_.counters();
  if (jni != nullptr) counters.methods_running = running_.still_running(jni);
  return counters;
}

bool BciEngine::needs_change(jclass klass, std::string_view internal_name, bool) {
  if (is_untouchable(internal_name)) return false;
  if (internal_name == "java/lang/Object" || internal_name == kThreadClass) return true;

  jint count = 0, size = 0;
  JvmtiPtr<unsigned char> pool(jvmti_);
  if (jvmti_->GetConstantPool(klass, &count, &size, pool.out()) != JVMTI_ERROR_NONE) return true;
  const ClassRewriter::Need need = rewriter_.need_of({pool.get(), static_cast<std::size_t>(size)},
                                                     static_cast<std::uint16_t>(count));
  if (need != ClassRewriter::Need::kScanCode) return need == ClassRewriter::Need::kMaybe;
  return has_code(jvmti_, klass, ClassRewriter::code_may_need_hooks);
}

bool BciEngine::may_want(std::string_view internal_name, bool) {
  return !internal_name.starts_with(kTrackerClass);
}

// A retransformation or redefinition by another agent moves the methods' bytecode, but is installed
// after this returns: SeenMethods detects it by itself.
std::optional<bci::Bytes> BciEngine::rewrite(JNIEnv*, const LoadingClass& loading,
                                             bci::ByteSpan class_file) {
  auto rewritten = rewriter_.rewrite(class_file);
  if (!loading.is_new) recorder_.methods().forget_class(loading.internal_name);
  return rewritten;
}

// While dimensions are left, the elements are arrays allocated by the same instruction.
void BciEngine::arrays(JNIEnv* jni, jobject made, jint dimensions) noexcept {
  recorder_.record(jni, made, TopFrames::kTracker);
  if (dimensions <= 1 || made == nullptr) return;
  const auto array = static_cast<jobjectArray>(made);
  const jsize length = jni->GetArrayLength(array);
  for (jsize i = 0; i < length; ++i) {
    const LocalRef<jobject> inner(jni, jni->GetObjectArrayElement(array, i));
    if (inner) arrays(jni, inner.get(), dimensions - 1);
  }
}

// An array that was just allocated can only contain the inner arrays.
void BciEngine::nested(JNIEnv* jni, jobject made) noexcept {
  if (made == nullptr) return;
  JvmtiPtr<char> signature(jvmti_);
  const LocalRef<jclass> klass(jni, jni->GetObjectClass(made));
  if (jvmti_->GetClassSignature(klass.get(), signature.out(), nullptr) != JVMTI_ERROR_NONE) return;
  const std::string_view text = text_of(signature);
  arrays(jni, made, static_cast<jint>(std::min(text.find_first_not_of('['), text.size())));
}

void BciEngine::new_array(JNIEnv* jni, jobject made) noexcept {
  // The callers of the Tracker: Array.newInstance, and possibly Arrays.copyOf, whose own callers
  // are hooked.
  constexpr std::size_t kWithCaller = 2;
  try {
    const Reclamation::Reading reading;
    ShownStack stack(TopFrames::kTracker, kWithCaller);
    recorder_.stacks().capture(jni, stack);
    if (stack.last_role() == ShownRole::kArrayCopy) return;
  } catch (const std::exception&) {  // no memory to register the methods
    return;
  }
  recorder_.record(jni, made, TopFrames::kTracker);
}

void BciEngine::cloned(JNIEnv* jni, jobject made) noexcept {
  if (made == nullptr) return;
  const LocalRef<jclass> klass(jni, jni->GetObjectClass(made));
  if (is_cloned_by_vm(jvmti_, jni, klass.get())) recorder_.record(jni, made, TopFrames::kTracker);
}

void BciEngine::super_cloned(JNIEnv* jni, jobject made) noexcept {
  if (made == nullptr) return;
  jmethodID method = nullptr;
  jlocation location = 0;
  LocalRef<jclass> caller(jni, nullptr);
  {
    const auto turn = id_creation::turn(jvmti_);
    jvmti_->GetFrameLocation(nullptr, kTrackerFrames, &method, &location);
  }
  if (method == nullptr ||
      jvmti_->GetMethodDeclaringClass(method, caller.out()) != JVMTI_ERROR_NONE) {
    return;
  }
  const LocalRef<jclass> superclass(jni, jni->GetSuperclass(caller.get()));
  if (superclass && is_cloned_by_vm(jvmti_, jni, superclass.get())) {
    recorder_.record(jni, made, TopFrames::kTracker);
  }
}

void BciEngine::backtraced(JNIEnv* jni, jobject throwable) noexcept {
  backtrace_.for_each_array(
      jni, throwable, [&](jobject array) { recorder_.record(jni, array, TopFrames::kTracker); });
}

void BciEngine::enable_constructed_hooks() {
  if (rewriter_.hooks_constructed()) return;
  rewriter_.hook_constructed();
  rewritten_ = false;
}

}  // namespace ddm
