// Test agent: Patches for a Java program, without the rest of the agent. See
// programs/Patching.java.
#include <jni.h>
#include <jvmti.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>

#include "bci/tool/every_patch.h"
#include "probes/patches.h"
#include "vm/class_changes/untouchable_classes.h"
#include "vm/jvmti_memory.h"

namespace {

jvmtiEnv* g_jvmti = nullptr;
// Never deleted: JVMTI events lead there until the process ends.
ddm::SinksClass& g_sinks = *new ddm::SinksClass;
ddm::Patches& g_patches = *new ddm::Patches(g_sinks);

// Plans by number, for any class.
class Plans final : public ddm::Patcher {
 public:
  struct Plan {
    std::shared_ptr<const bci::PatchPlan> plan;
    bci::PatchIdTable ids;
    std::map<std::string, bci::PatchResult> results;  // by class
    std::map<std::string, std::string> failed;
  };

  // 0: not in, and why.
  jint put_in(JNIEnv* jni, std::shared_ptr<const bci::PatchPlan> plan, std::string& error) {
    error = g_patches.add(jni, *this);
    if (!error.empty()) return 0;
    jint number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = ++last_;
      plans_[number].plan = std::move(plan);
    }
    g_patches.bring_up_to_date(jni, *this);
    return number;
  }
  bool take_out(JNIEnv* jni, jint number) {
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      if (plans_.erase(number) == 0) return false;
      last = plans_.empty();
    }
    g_patches.bring_up_to_date(jni, *this);
    if (last) g_patches.remove(*this);
    return true;
  }
  // "class method sites", "class method refused reason", "class failed reason", a line each.
  std::string report(jint number) const {
    std::string text;
    const std::lock_guard lock(mutex_);
    const auto plan = plans_.find(number);
    if (plan == plans_.end()) return text;
    for (const auto& [name, result] : plan->second.results) {
      for (const auto& method : result.methods) {
        text += name + " " + method.name + " " + std::to_string(method.sites.size()) + "\n";
      }
      for (const auto& site : result.refused) {
        text += name + " " + site.name + " refused " + std::string(to_string(site.reason)) + "\n";
      }
    }
    for (const auto& [name, why] : plan->second.failed) text += name + " failed " + why + "\n";
    return text;
  }

  bool may_want(std::string_view internal_name, bool) override {
    const std::lock_guard lock(mutex_);
    return !ddm::is_untouchable(internal_name) &&
           (patched_.contains(internal_name) ||
            std::any_of(plans_.begin(), plans_.end(), [&](const auto& one) {
              return bci::may_patch(*one.second.plan, internal_name);
            }));
  }
  bool needs_change(jclass, std::string_view internal_name, bool is_platform) override {
    return may_want(internal_name, is_platform);
  }
  std::vector<Part> parts(JNIEnv*, const ddm::LoadingClass&, bci::ByteSpan) override {
    const std::lock_guard lock(mutex_);
    std::vector<Part> parts;
    for (auto& [number, one] : plans_) {
      parts.push_back({one.plan, &one.ids, std::to_string(number)});
    }
    return parts;
  }
  void patched(JNIEnv*, const ddm::LoadingClass& loading, bci::ByteSpan,
               const std::vector<Part>& parts) override {
    const std::string name(loading.internal_name);
    const std::lock_guard lock(mutex_);
    patched_.erase(name);
    for (const Part& part : parts) {
      if (!part.result.methods.empty()) patched_.insert(name);
      const auto plan = plans_.find(std::stoi(part.whose));
      if (plan != plans_.end()) plan->second.results[name] = part.result;
    }
  }
  void incomplete(const std::string&) override {}
  void refused(std::string_view internal_name, const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    for (auto& [number, one] : plans_) one.failed[std::string(internal_name)] = reason;
  }

 private:
  mutable std::mutex mutex_;
  std::map<jint, Plan> plans_;
  std::set<std::string, std::less<>> patched_;
  jint last_ = 0;
};

Plans& g_plans = *new Plans;

std::string text_of(JNIEnv* jni, jstring text) {
  const char* chars = jni->GetStringUTFChars(text, nullptr);
  const std::string copy(chars == nullptr ? "" : chars);
  if (chars != nullptr) jni->ReleaseStringUTFChars(text, chars);
  return copy;
}

void fail(JNIEnv* jni, const std::string& why) {
  const ddm::LocalRef<jclass> type(jni, jni->FindClass("java/lang/IllegalStateException"));
  jni->ThrowNew(type.get(), why.c_str());
}

// Adds up what it is given.
class Receiver : public ddm::SinkReceiver {
 public:
  jint opened(JNIEnv*, jint) noexcept override { return static_cast<jint>(++hits); }
  void kept(JNIEnv*, jint, jint, jlong value) noexcept override { sum += value; }
  void kept(JNIEnv*, jint, jint, jdouble value) noexcept override {
    sum += static_cast<std::int64_t>(value * 100);
  }
  void kept(JNIEnv*, jint, jint, jobject value) noexcept override {
    ++(value == nullptr ? nulls : objects);
  }
  std::atomic<std::int64_t> hits{0}, sum{0}, objects{0}, nulls{0};
};

Receiver g_receiver;

std::int64_t cell(JNIEnv* jni, jint number) {
  return g_sinks.cells().read(jni).at(static_cast<std::size_t>(number));
}

}  // namespace

extern "C" {

// One patch a line; the number of the plan.
JNIEXPORT jint JNICALL Java_Patching_putIn(JNIEnv* jni, jclass, jstring words) {
  std::string error;
  const auto plan = std::make_shared<bci::PatchPlan>();
  plan->test_class = ddm::kSinksClass;
  std::istringstream lines(text_of(jni, words));
  for (std::string line; std::getline(lines, line);) {
    auto patch = bci::parse_patch(line, ddm::kSinksClass, error);
    if (!patch) return fail(jni, error), 0;
    plan->methods.push_back(std::move(*patch));
  }
  const jint number = g_plans.put_in(jni, plan, error);
  if (number == 0) fail(jni, error);
  return number;
}

JNIEXPORT jboolean JNICALL Java_Patching_takeOut(JNIEnv* jni, jclass, jint plan) {
  return g_plans.take_out(jni, plan);
}

JNIEXPORT jstring JNICALL Java_Patching_report(JNIEnv* jni, jclass, jint plan) {
  return jni->NewStringUTF(g_plans.report(plan).c_str());
}

JNIEXPORT jint JNICALL Java_Patching_counter(JNIEnv*, jclass) {
  g_sinks.set_receiver(g_receiver);
  return g_sinks.cells().take_counter();
}

JNIEXPORT jint JNICALL Java_Patching_timer(JNIEnv*, jclass) { return g_sinks.cells().take_timer(); }

JNIEXPORT void JNICALL Java_Patching_giveBack(JNIEnv*, jclass, jint cell, jboolean) {
  g_sinks.cells().give_back(cell);
}

JNIEXPORT void JNICALL Java_Patching_open(JNIEnv* jni, jclass, jint cell, jboolean wanted) {
  g_sinks.cells().want_values(jni, cell, wanted);
}

JNIEXPORT jlong JNICALL Java_Patching_count(JNIEnv* jni, jclass, jint number) {
  return cell(jni, number);
}

// Hits, nanoseconds, exceptions, calls by time in all.
JNIEXPORT jlongArray JNICALL Java_Patching_times(JNIEnv* jni, jclass, jint timer) {
  jlong calls = 0;
  for (jint i = 0; i < ddm::kTimeCells; ++i) calls += cell(jni, timer + ddm::kTimesCell + i);
  const jlong values[] = {cell(jni, timer + ddm::kHitsCell), cell(jni, timer + ddm::kTotalCell),
                          cell(jni, timer + ddm::kExceptionsCell), calls};
  const jlongArray array = jni->NewLongArray(4);
  if (array != nullptr) jni->SetLongArrayRegion(array, 0, 4, values);
  return array;
}

// Hits, sum of numbers, objects, nulls that the receiver got.
JNIEXPORT jlongArray JNICALL Java_Patching_received(JNIEnv* jni, jclass) {
  const jlong values[] = {g_receiver.hits, g_receiver.sum, g_receiver.objects, g_receiver.nulls};
  const jlongArray array = jni->NewLongArray(4);
  if (array != nullptr) jni->SetLongArrayRegion(array, 0, 4, values);
  return array;
}

JNIEXPORT void JNICALL Java_Patching_forgetThreads(JNIEnv* jni, jclass) {
  g_sinks.cells().forget_threads(jni);
}

// As another agent does: this one's environment changes no class.
JNIEXPORT jboolean JNICALL Java_Patching_retransform(JNIEnv*, jclass, jclass one) {
  return g_jvmti->RetransformClasses(1, &one) == JVMTI_ERROR_NONE;
}

// The code of all methods of a class, byte for byte, by name.
JNIEXPORT jstring JNICALL Java_Patching_code(JNIEnv* jni, jclass, jclass of) {
  std::string text;
  jint count = 0;
  ddm::JvmtiPtr<jmethodID> methods(g_jvmti);
  if (g_jvmti->GetClassMethods(of, &count, methods.out()) != JVMTI_ERROR_NONE) {
    return fail(jni, "GetClassMethods"), nullptr;
  }
  for (jint i = 0; i < count; ++i) {
    ddm::JvmtiPtr<char> name(g_jvmti), descriptor(g_jvmti);
    ddm::JvmtiPtr<unsigned char> code(g_jvmti);
    jint length = 0, locals = 0;
    if (g_jvmti->GetMethodName(methods[i], name.out(), descriptor.out(), nullptr) !=
            JVMTI_ERROR_NONE ||
        g_jvmti->GetBytecodes(methods[i], &length, code.out()) != JVMTI_ERROR_NONE) {
      continue;
    }
    g_jvmti->GetMaxLocals(methods[i], &locals);
    text += std::string(name.get()) + descriptor.get() + " " + std::to_string(locals) + ":";
    const bci::ByteSpan bytes(code.get(), static_cast<std::size_t>(length));
    for (const unsigned char byte : bytes) text += " " + std::to_string(byte);
    text += "\n";
  }
  return jni->NewStringUTF(text.c_str());
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char*, void*) {
  if (vm->GetEnv(reinterpret_cast<void**>(&g_jvmti), JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  jvmtiCapabilities wanted{};
  wanted.can_get_bytecodes = 1;
  wanted.can_retransform_classes = 1;
  return g_jvmti->AddCapabilities(&wanted) == JVMTI_ERROR_NONE ? JNI_OK : JNI_ERR;
}

}  // extern "C"
