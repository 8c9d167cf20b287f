#include "allocations/capture/bci_engine.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <string_view>

#include "core/log.h"
#include "vm/class_changes/class_bytes.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// On top of the stack inside a hook: the Tracker's native and the Tracker.
constexpr std::size_t kTrackerFrames = 2;

}  // namespace

BciEngine::BciEngine(jvmtiEnv* jvmti, Recorder& recorder, RewrittenMethods& rewritten)
    : jvmti_(jvmti),
      recorder_(recorder),
      rewriter_(rewritten),
      retransformer_(
          jvmti, [this](JNIEnv* jni, jclass klass) { return needs_hooks(jni, klass); },
          [this](const std::string& reason, std::string_view) { rewriter_.refused(reason); }),
      hooked_(jvmti),
      archived_calls_(jvmti),
      tracker_(jvmti),
      clones_(jvmti),
      running_(jvmti) {
  listen_to(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, *this);
  listen_to(JVMTI_EVENT_CLASS_PREPARE, *this);
}

std::string BciEngine::prepare(JNIEnv* jni) {
  if (rewritten_) return "";
  std::string error = why_classes_stay();
  if (!error.empty()) return error;
  backtrace_.find_fields(jni);
  recorder_.methods().find_super_calls();
  // The Tracker first: a hook that cannot be resolved would make every `new` throw.
  error = enable(JVMTI_EVENT_CLASS_PREPARE);
  if (error.empty()) error = tracker_.define(jni);
  if (!error.empty()) return error;
  // The class hook next, so that no class slips through between listing and enabling.
  hooks_wanted_ = true;
  error = enable(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
  if (!error.empty()) {
    hooks_wanted_ = false;
    return error;
  }
  running_.before_rewriting(jni);
  const Retransformer::Totals totals = retransformer_.all_loaded(jni);
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

std::string BciEngine::enable(jvmtiEvent event) {
  const jvmtiError error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr);
  if (error == JVMTI_ERROR_NONE) return "";
  return std::string("enabling the class events: ") + jvmti_error_name(error);
}

std::string BciEngine::start(JNIEnv*) { return tracker_.swap(true); }

std::string BciEngine::stop(JNIEnv*) { return tracker_.swap(false); }

bool BciEngine::needs_hooks(JNIEnv* jni, jclass klass) const {
  const LocalRef<jclass> superclass(jni, jni->GetSuperclass(klass));
  jboolean is_interface = JNI_FALSE;
  jvmti_->IsInterface(klass, &is_interface);
  if (!superclass && !is_interface) return true;  // java.lang.Object

  jint count = 0, size = 0;
  JvmtiPtr<unsigned char> pool(jvmti_);
  if (jvmti_->GetConstantPool(klass, &count, &size, pool.out()) != JVMTI_ERROR_NONE) return true;
  const ClassRewriter::Need need = rewriter_.need_of({pool.get(), static_cast<std::size_t>(size)},
                                                     static_cast<std::uint16_t>(count));
  if (need != ClassRewriter::Need::kLookAtCode) return need == ClassRewriter::Need::kMaybe;
  JvmtiPtr<jmethodID> methods(jvmti_);
  if (jvmti_->GetClassMethods(klass, &count, methods.out()) != JVMTI_ERROR_NONE) return true;
  for (jint i = 0; i < count; ++i) {
    JvmtiPtr<unsigned char> code(jvmti_);
    // Native and abstract methods have none.
    if (jvmti_->GetBytecodes(methods[i], &size, code.out()) == JVMTI_ERROR_NONE &&
        ClassRewriter::code_may_need_hooks({code.get(), static_cast<std::size_t>(size)})) {
      return true;
    }
  }
  return false;
}

void BciEngine::class_file_load_hook(jclass being_redefined, jobject loader, const char* name,
                                     jint length, const unsigned char* bytes, jint* new_length,
                                     unsigned char** new_bytes) {
  if (!hooks_wanted_) return;
  if (being_redefined == nullptr && name != nullptr) hooked_.add(name, loader);
  if (name != nullptr && std::string_view(name).starts_with(kTrackerClass)) return;
  const auto rewritten = rewriter_.rewrite({bytes, static_cast<std::size_t>(length)});
  // Somebody retransforms or redefines the class, and its code moves. That is installed only after
  // this returns: SeenMethods sees that by itself.
  if (being_redefined != nullptr) {
    name != nullptr ? recorder_.methods().forget_class(name) : recorder_.methods().forget_all();
  }
  bci::ByteSpan given{bytes, static_cast<std::size_t>(length)};
  if (rewritten) {
    given = *rewritten;
  } else if (being_redefined != nullptr || name == nullptr ||
             !archived_calls_.may_be_in(name, loader)) {
    return;
  }
  if (!give_class_bytes(jvmti_, given, new_length, new_bytes)) rewriter_.refused("out of memory");
}

void BciEngine::class_prepare(JNIEnv* jni, jclass klass) {
  tracker_.prepared(jni, klass);
  if (!hooked_.take(jni, klass)) retransformer_.linked_without_hook(jni, klass);
}

void BciEngine::object(JNIEnv* jni, jobject made) noexcept {
  recorder_.record(jni, made, TopFrames::kConstructors);
}

void BciEngine::made(JNIEnv* jni, jobject made) noexcept {
  recorder_.record(jni, made, TopFrames::kTracker);
}

// With dimensions left to go the elements are arrays that the same instruction made.
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

// Nothing but the inner arrays can be in an array that was made just now.
void BciEngine::nested(JNIEnv* jni, jobject made) noexcept {
  if (made == nullptr) return;
  JvmtiPtr<char> signature(jvmti_);
  const LocalRef<jclass> klass(jni, jni->GetObjectClass(made));
  if (jvmti_->GetClassSignature(klass.get(), signature.out(), nullptr) != JVMTI_ERROR_NONE) return;
  const std::string_view text = text_of(signature);
  arrays(jni, made, static_cast<jint>(std::min(text.find_first_not_of('['), text.size())));
}

void BciEngine::new_array(JNIEnv* jni, jobject made) noexcept {
  // Below the Tracker: Array.newInstance, and maybe Arrays.copyOf, whose callers tell of it.
  constexpr std::size_t kWithCaller = 2;
  try {
    const Reclamation::Reading reading(recorder_.reclamation());
    ShownStack stack(TopFrames::kTracker, kWithCaller);
    recorder_.stacks().capture(jni, stack);
    if (stack.last_role() == ShownRole::kArrayCopy) return;
  } catch (const std::exception&) {  // no memory to learn the methods
    return;
  }
  recorder_.record(jni, made, TopFrames::kTracker);
}

void BciEngine::cloned(JNIEnv* jni, jobject made) noexcept {
  if (made == nullptr) return;
  const LocalRef<jclass> klass(jni, jni->GetObjectClass(made));
  if (clones_.is_native(jni, klass.get())) recorder_.record(jni, made, TopFrames::kTracker);
}

void BciEngine::super_cloned(JNIEnv* jni, jobject made) noexcept {
  RawFrame frames[kTrackerFrames + 1];
  LocalRef<jclass> caller(jni, nullptr);
  if (made == nullptr || recorder_.stacks().capture_raw(jni, frames) != std::size(frames) ||
      jvmti_->GetMethodDeclaringClass(frames[kTrackerFrames].method, caller.out()) !=
          JVMTI_ERROR_NONE) {
    return;
  }
  if (clones_.is_native_in_superclass(jni, caller.get())) {
    recorder_.record(jni, made, TopFrames::kTracker);
  }
}

void BciEngine::backtraced(JNIEnv* jni, jobject throwable) noexcept {
  backtrace_.for_each_array(
      jni, throwable, [&](jobject array) { recorder_.record(jni, array, TopFrames::kTracker); });
}

}  // namespace ddm
