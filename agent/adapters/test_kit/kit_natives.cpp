#include "adapters/test_kit/kit_natives.h"

#include <jni.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <string>

#include "adapters/test_kit/test_kit.h"
#include "core/log.h"
#include "vm/java_text.h"

namespace ddm {
namespace {

std::atomic<TestKit*> g_test_kit{nullptr};

// No C++ exception may pass through Java.
template <typename Value, typename Work>
Value with_kit(Value otherwise, Work work) {
  TestKit* const kit = g_test_kit;
  if (kit == nullptr) return otherwise;
  try {
    return work(*kit);
  } catch (const std::exception& failure) {
    log_error("in a call of ddm-test.jar: {}", failure.what());
    return otherwise;
  }
}

ScopeRoot root_of(JNIEnv* jni, jint rule, jstring class_name, jstring method) {
  constexpr auto kLast = static_cast<jint>(ScopeRoot::Rule::kNothing);
  return {static_cast<ScopeRoot::Rule>(std::clamp(rule, 0, kLast)), java_text(jni, class_name),
          java_text(jni, method)};
}

}  // namespace

void set_test_kit(TestKit* kit) { g_test_kit = kit; }

}  // namespace ddm

extern "C" {

// Null: allocations are counted from now on; otherwise the reason why not, as UTF-8.
JNIEXPORT jbyteArray JNICALL Java_ddm_test_AgentLink_prepare(JNIEnv* jni, jclass) {
  const std::string why = ddm::with_kit(std::string("the agent is not there yet"),
                                        [&](ddm::TestKit& kit) { return kit.prepare(jni); });
  return why.empty() ? nullptr : ddm::java_bytes(jni, why);
}

// The rule's numbers are those of ddm::ScopeRoot::Rule.
JNIEXPORT jlong JNICALL Java_ddm_test_AgentLink_begin(JNIEnv* jni, jclass, jint rule,
                                                      jstring class_name, jstring method,
                                                      jboolean live) {
  return ddm::with_kit(jlong{0}, [&](ddm::TestKit& kit) {
    return static_cast<jlong>(
        kit.begin(jni, ddm::root_of(jni, rule, class_name, method), live == JNI_TRUE));
  });
}

JNIEXPORT void JNICALL Java_ddm_test_AgentLink_end(JNIEnv*, jclass, jlong scope) {
  ddm::with_kit(0, [&](ddm::TestKit& kit) {
    kit.end(static_cast<ddm::ScopeNumber>(scope));
    return 0;
  });
}

// Null: there is no such scope any more.
JNIEXPORT jbyteArray JNICALL Java_ddm_test_AgentLink_take(JNIEnv* jni, jclass, jlong scope,
                                                          jint most_sites, jint most_frames) {
  const std::string text = ddm::with_kit(std::string(), [&](ddm::TestKit& kit) {
    return kit.take(static_cast<ddm::ScopeNumber>(scope),
                    static_cast<std::size_t>(std::max(most_sites, 0)),
                    static_cast<std::size_t>(std::max(most_frames, 0)));
  });
  return text.empty() ? nullptr : ddm::java_bytes(jni, text);
}

JNIEXPORT jlong JNICALL Java_ddm_test_AgentLink_beginLines(JNIEnv*, jclass) {
  return ddm::with_kit(jlong{0},
                       [](ddm::TestKit& kit) { return static_cast<jlong>(kit.begin_lines()); });
}

// Null: there is no such scope any more.
JNIEXPORT jbyteArray JNICALL Java_ddm_test_AgentLink_takeLines(JNIEnv* jni, jclass, jlong scope,
                                                               jlong file, jstring test) {
  const std::string text = ddm::with_kit(std::string(), [&](ddm::TestKit& kit) {
    return kit.take_lines(static_cast<ddm::ScopeNumber>(scope), static_cast<std::uint64_t>(file),
                          ddm::java_text(jni, test));
  });
  return text.empty() ? nullptr : ddm::java_bytes(jni, text);
}
}
