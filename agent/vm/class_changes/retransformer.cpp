#include "vm/class_changes/retransformer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/class_names.h"
#include "core/log.h"
#include "vm/class_changes/class_changes.h"
#include "vm/jdwp_agent.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// Each batch makes the VM iterate over all loaded classes, so the batch size grows with their
// number: the total time is linear in the number of classes, not quadratic.
constexpr std::size_t kLeastBatch = 200, kMostBatches = 25;

thread_local bool t_retransforming = false;

constexpr jint kNotForUs =
    JVMTI_CLASS_STATUS_ARRAY | JVMTI_CLASS_STATUS_PRIMITIVE | JVMTI_CLASS_STATUS_ERROR;

}  // namespace

Retransformer::Retransformer(jvmtiEnv* jvmti, std::function<bool(JNIEnv*, jclass)> needs,
                             Failed failed)
    : jvmti_(jvmti), needs_(std::move(needs)), failed_(std::move(failed)) {}

class Retransformer::Waiting {
 public:
  explicit Waiting(JNIEnv* jni) : jni_(jni) {}
  ~Waiting() {
    for (const jweak one : classes_) jni_->DeleteWeakGlobalRef(one);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  void reserve(jint count) { classes_.reserve(static_cast<std::size_t>(count)); }
  bool add(jclass klass) {
    const jweak one = jni_->NewWeakGlobalRef(klass);
    if (clear_exception(jni_) || one == nullptr) return false;
    classes_.push_back(one);
    return true;
  }
  std::span<const jweak> all() const { return classes_; }

 private:
  JNIEnv* const jni_;
  std::vector<jweak> classes_;
};

// Each local reference is deleted as soon as its class was checked.
void Retransformer::find_wanted(JNIEnv* jni, Waiting& wanted, Totals& totals) const {
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti_);
  const LocalFrame frame(jni, 64);
  const jvmtiError error = jvmti_->GetLoadedClasses(&count, classes.out());
  if (error != JVMTI_ERROR_NONE) {
    return failed_(jvmti_failure("GetLoadedClasses", error), "");
  }
  totals.loaded = count;
  wanted.reserve(count);
  bool no_memory = false;
  for (jint i = 0; i < count; ++i) {
    const LocalRef<jclass> klass(jni, classes[i]);
    jint status = 0;
    if (!can_change(klass.get(), status)) continue;
    if ((status & JVMTI_CLASS_STATUS_PREPARED) == 0) {
      ++totals.unlinked;
    } else if (needs_(jni, klass.get()) && !wanted.add(klass.get())) {
      no_memory = true;
    }
  }
  if (no_memory) failed_("out of memory", "");
}

Retransformer::Totals Retransformer::all_loaded(JNIEnv* jni) {
  Totals totals;
  Waiting waiting(jni);
  find_wanted(jni, waiting, totals);
  const std::span<const jweak> wanted = waiting.all();
  const std::size_t batch = std::max(kLeastBatch, wanted.size() / kMostBatches);
  for (std::size_t at = 0; at < wanted.size(); at += batch) {
    const auto begin = std::chrono::steady_clock::now();
    totals.retransformed +=
        retransform_waiting(jni, wanted.subspan(at, std::min(batch, wanted.size() - at)));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    totals.longest_batch_ms = std::max(totals.longest_batch_ms, took.count());
  }
  if (totals.retransformed > 0 && !jdwp_library().empty()) {
    log_info(
        "a debugger's breakpoints in the changed classes are gone until it clears and sets them "
        "again");
  }
  return totals;
}

// Retransforms the classes that are still alive; returns their number.
int Retransformer::retransform_waiting(JNIEnv* jni, std::span<const jweak> waiting) {
  const LocalFrame frame(jni, static_cast<jint>(waiting.size()));
  if (!frame.good()) {
    failed_("out of memory", "");
    return 0;
  }
  std::vector<jclass> classes;
  for (const jweak one : waiting) {
    const auto klass = static_cast<jclass>(jni->NewLocalRef(one));
    if (klass != nullptr) classes.push_back(klass);
  }
  if (!classes.empty()) these(classes);
  return static_cast<int>(classes.size());
}

bool Retransformer::on_this_thread() { return t_retransforming; }

jvmtiError Retransformer::retransform(std::span<const jclass> classes) const {
  const bool nested = std::exchange(t_retransforming, true);
  const jvmtiError error =
      jvmti_->RetransformClasses(static_cast<jint>(classes.size()), classes.data());
  t_retransforming = nested;
  return error;
}

void Retransformer::these(std::span<const jclass> classes) {
  if (change(classes)) return count(classes);
  if (classes.size() == 1) return;
  const std::size_t half = classes.size() / 2;
  these(classes.first(half));
  these(classes.subspan(half));
}

bool Retransformer::change(std::span<const jclass> classes) const {
  const jvmtiError error = retransform(classes);
  if (error == JVMTI_ERROR_NONE) return true;
  if (classes.size() == 1) {
    // The failure may be due to another agent's concurrent redefinition: try once more.
    if (retransform(classes) == JVMTI_ERROR_NONE) return true;
    const ClassSignature signature(jvmti_, classes[0]);
    log_info("{} stays as it was: {}", text_of(signature), jvmti_error_name(error));
    failed_(jvmti_failure("retransform", error), text_of(signature));
  }
  return false;
}

// Once for all classes of a name: each of them, of a loader of its own, loses its own compiled code.
void Retransformer::count(std::span<const jclass> classes) {
  for (const jclass klass : classes) {
    const ClassSignature signature(jvmti_, klass);
    const std::string_view name = internal_name_of(text_of(signature));
    if (signature && counted_.emplace(name).second) class_changes::add(name);
  }
}

bool Retransformer::can_change(jclass klass, jint& status) const {
  jboolean modifiable = JNI_FALSE;
  return jvmti_->GetClassStatus(klass, &status) == JVMTI_ERROR_NONE && (status & kNotForUs) == 0 &&
         jvmti_->IsModifiableClass(klass, &modifiable) == JVMTI_ERROR_NONE && modifiable;
}

void Retransformer::linked(JNIEnv* jni, jclass klass, bool again) {
  jint status = 0;
  // Not counted: the class has no compiled code yet.
  if (can_change(klass, status) && (again || needs_(jni, klass))) change({&klass, 1});
}

}  // namespace ddm
