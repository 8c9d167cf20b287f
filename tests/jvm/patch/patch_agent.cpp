// Test agent: Patches for a Java program, without the rest of the agent. See
// programs/Patching.java.
#include <jni.h>
#include <jvmti.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <sstream>
#include <string>

#include "bci/tool/every_patch.h"
#include "probes/patches.h"
#include "vm/jvmti_memory.h"

namespace {

jvmtiEnv* g_jvmti = nullptr;
// Never deleted: JVMTI events lead there until the process ends.
ddm::SinksClass& g_sinks = *new ddm::SinksClass;
ddm::Patches* g_patches = nullptr;

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

// Null, and a Java exception, if there are none.
ddm::Patches* patches(JNIEnv* jni) {
  std::string error;
  if (g_patches == nullptr) g_patches = ddm::Patches::create(jni, g_sinks, error).release();
  if (g_patches == nullptr) fail(jni, error);
  return g_patches;
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
  if (patches(jni) == nullptr) return 0;
  std::string error;
  const auto plan = std::make_shared<bci::PatchPlan>();
  plan->test_class = ddm::kSinksClass;
  std::istringstream lines(text_of(jni, words));
  for (std::string line; std::getline(lines, line);) {
    auto patch = bci::parse_patch(line, ddm::kSinksClass, error);
    if (!patch) return fail(jni, error), 0;
    plan->methods.push_back(std::move(*patch));
  }
  const auto number = g_patches->put_in(jni, plan, std::make_shared<bci::PatchIdTable>(), error);
  if (number == 0) fail(jni, error);
  return static_cast<jint>(number);
}

JNIEXPORT jboolean JNICALL Java_Patching_takeOut(JNIEnv* jni, jclass, jint plan) {
  return g_patches->take_out(jni, static_cast<std::uint32_t>(plan));
}

// "class method sites", "class method refused reason", "class failed reason", a line each.
JNIEXPORT jstring JNICALL Java_Patching_report(JNIEnv* jni, jclass, jint plan) {
  std::string text;
  const auto report = g_patches->report(static_cast<std::uint32_t>(plan));
  if (report) {
    for (const auto& patched : report->classes) {
      for (const auto& method : patched.methods) {
        text += patched.name + " " + method.name + " " + std::to_string(method.sites.size()) + "\n";
      }
      for (const auto& site : patched.refused) {
        text += patched.name + " " + site.name + " refused " + std::string(to_string(site.reason)) +
                "\n";
      }
      if (!patched.failed.empty()) text += patched.name + " failed " + patched.failed + "\n";
    }
  }
  return jni->NewStringUTF(text.c_str());
}

JNIEXPORT jint JNICALL Java_Patching_counter(JNIEnv* jni, jclass) {
  g_sinks.hand_to(g_receiver);
  return patches(jni) == nullptr ? -1 : g_sinks.cells().take_counter();
}

JNIEXPORT jint JNICALL Java_Patching_timer(JNIEnv* jni, jclass) {
  return patches(jni) == nullptr ? -1 : g_sinks.cells().take_timer();
}

JNIEXPORT void JNICALL Java_Patching_giveBack(JNIEnv*, jclass, jint cell, jboolean timer) {
  if (timer) {
    g_sinks.cells().give_back_timer(cell);
  } else {
    g_sinks.cells().give_back_counter(cell);
  }
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
